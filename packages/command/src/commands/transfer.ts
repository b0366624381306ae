import type { Environment } from '@parley/config';
import { checkSchemaVersion } from '@parley/database';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { findRealm } from '@parley/store';

import type { Command } from '../command.ts';
import { openFiles, openPool, readConfig } from '../connections.ts';
import { CommandFault } from '../faults.ts';
import { readSecretFile } from '../read-file.ts';
import { exportOrganization } from '../transfer/export-organization.ts';
import { importOrganization } from '../transfer/import-organization.ts';
import type { ImportOptions } from '../transfer/import-organization.ts';
import type { Manifest } from '../transfer/manifest.ts';
import { describeBytes } from '../units.ts';

const passphraseFile = {
  value: 'FILE',
  help: 'the file with the passphrase that protects keys and passwords, - for standard input',
  required: true,
} as const;

function describe(manifest: Manifest): string {
  const rows = (name: string): number =>
    manifest.tables.find((table) => table.name === name)?.rows ?? 0;
  const { count, content_bytes: bytes } = manifest.files;
  return `${rows('users')} accounts, ${rows('streams')} streams, ${rows('messages')} messages, ${count} files (${describeBytes(bytes)})`;
}

function json(folder: string, manifest: Manifest): Readonly<Record<string, unknown>> {
  return {
    folder,
    organization: manifest.organization,
    schema_version: manifest.schema_version,
    exported_at: manifest.exported_at,
    rows: Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows])),
    files: manifest.files.count,
    missing_files: manifest.files.missing,
  };
}

type Stores = Pick<ImportOptions, 'databaseUrl' | 'pool' | 'files' | 'keySecrets'>;

/** Runs work on the stores of an installation, with statements that have no time limit. */
async function withStores<Result>(
  env: Environment,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env);
  const files = await openFiles(config);
  const pool = openPool({ ...config.database, statementTimeoutMs: 0 });
  try {
    return await work({
      databaseUrl: config.database.url.reveal(),
      pool,
      files,
      keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
    });
  } finally {
    await pool.end();
    files.close();
  }
}

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write the organization with everything in it to a folder',
  options: {
    to: { value: 'DIR', help: 'a folder that is empty or does not exist yet', required: true },
    'passphrase-file': passphraseFile,
  },
  details: [
    'For backups, and for moving to another installation. Services may run meanwhile: the export has the organization at one',
    'moment. API keys, password hashes and secrets of bots are encrypted under the passphrase; messages and files are not, so keep',
    'the folder private. Presence and event queues are not included.',
  ].join('\n'),
  run: async (call, { env, progress, signal, readInput }) => {
    const folder = call.get('to');
    const passphrase = await readSecretFile(call.get('passphrase-file'), readInput);
    const manifest = await withStores(env, async ({ pool, ...stores }) => {
      await checkSchemaVersion(pool);
      if ((await findRealm(pool)) === undefined)
        throw new CommandFault('There is no organization in this database to be exported');
      return exportOrganization({ pool, ...stores, passphrase, folder, progress, signal });
    });
    const { missing } = manifest.files;
    const warning =
      missing === 0
        ? ''
        : `${missing} files that messages or people refer to were not in the store of files any more.\n`;
    return {
      text: `${folder} has ${manifest.organization.name}: ${describe(manifest)}.\n${warning}`,
      json: json(folder, manifest),
    };
  },
};

export const importCommand: Command = {
  name: 'import',
  summary: 'Import an exported organization into an empty installation',
  options: {
    from: { value: 'DIR', help: 'the folder of an export', required: true },
    'passphrase-file': passphraseFile,
  },
  details: [
    'The database must be empty, or migrated without an organization, and services must not run. Everything is checked before anything',
    'is written, and all of it is imported or nothing: an interrupted import can be started again. Keys and passwords do not change.',
    'Positions and message ids jump, so that clients that saw more than the export register again.',
  ].join('\n'),
  run: async (call, { env, progress, signal, readInput }) => {
    const folder = call.get('from');
    const passphrase = await readSecretFile(call.get('passphrase-file'), readInput);
    const manifest = await withStores(env, (stores) =>
      importOrganization({ ...stores, passphrase, folder, progress, signal }),
    );
    return {
      text: `${manifest.organization.name} is here, as it was at ${manifest.exported_at}: ${describe(manifest)}.\nStart the services now.\n`,
      json: json(folder, manifest),
    };
  },
};
