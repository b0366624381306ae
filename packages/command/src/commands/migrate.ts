import { readDatabaseConfig } from '@parley/config';
import { codeSchemaVersion } from '@parley/database';
import { migrate } from '@parley/database/migrate';

import type { Command } from '../command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: "Migrate the database's schema to this release",
  run: async (_call, { env }) => {
    const { migrations, functions } = await migrate(readDatabaseConfig(env).url.reveal());
    const lines = [
      ...migrations.map((name) => `Migrated: ${name}\n`),
      ...functions.map((name) => `Installed: ${name}\n`),
    ];
    const text = lines.length === 0 ? 'The schema is up to date.\n' : lines.join('');
    return { text, json: { migrations, functions, schema_version: codeSchemaVersion } };
  },
};
