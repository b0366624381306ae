import { readDatabaseConfig } from '@parley/config';
import { codeSchemaVersion, migrate } from '@parley/database';

import type { Command } from '../command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: "Bring the database's schema forward to this release",
  run: async (_call, { env }) => {
    const migrations = await migrate(readDatabaseConfig(env).url.reveal());
    const text =
      migrations.length === 0
        ? 'The schema is up to date.\n'
        : migrations.map((name) => `Migrated: ${name}\n`).join('');
    return { text, json: { migrations, schema_version: codeSchemaVersion } };
  },
};
