/** An import of an archive into an installation of its own: how long it takes, and what it takes of processor and memory. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { openTestPool } from '@parley/test-kit';

import { startParley } from '../../support/run-parley.ts';
import { readCpuNs, readTreeCpuNs } from '../accounting.ts';
import { startDurableStores } from '../durable-stores.ts';
import { personEmail } from '../exports/export-plan.ts';
import type { ExportSize } from '../exports/export-plan.ts';
import { writeExport } from '../exports/write-export.ts';
import type { ExportSource } from '../exports/write-export.ts';
import { mebibytes } from '../process-gauge.ts';

export type ImportResult = {
  readonly wallSecs: number;
  /** Of the command, with its threads. */
  readonly commandCpuSecs: number;
  readonly postgresCpuSecs: number;
  /** The most that the command had at once. */
  readonly peakMib: number;
  /** Of the machine, at the beginning and the end: 2 is all of two cores. */
  readonly loads: readonly [before: number, after: number];
  readonly messages: number;
  readonly readExceptions: number;
  readonly databaseMib: number;
};

const sampleMs = 200;

/** The highest resident set of a process, as the kernel keeps it; undefined if it has ended. */
async function readPeakMib(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(text)?.[1];
  return kib === undefined ? undefined : mebibytes(Number(kib) * 1_024);
}

/** The last sample before the end is at most `sampleMs` old. */
async function watch(
  pid: number,
  ended: Promise<unknown>,
): Promise<{ readonly cpuNs: number; readonly peakMib: number }> {
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  let seen = { cpuNs: 0, peakMib: 0 };
  while (isRunning) {
    const [cpuNs, peakMib] = [await readCpuNs(pid), await readPeakMib(pid)];
    if (peakMib !== undefined) seen = { cpuNs: Math.max(seen.cpuNs, cpuNs), peakMib };
    await Promise.race([ended, delay(sampleMs)]);
  }
  return seen;
}

/**
 * Imports an archive with `parley import-from`.
 *
 * @param options.file an archive of that size; without it one is written
 * @throws Error if the command fails
 */
export async function measureImport(
  source: ExportSource,
  size: ExportSize,
  options: {
    readonly file: string | undefined;
    /** Where the command leaves a CPU profile. */
    readonly profileFolder: string | undefined;
    readonly say: (text: string) => void;
  },
): Promise<ImportResult> {
  await using disposal = new AsyncDisposableStack();
  const stores = await startDurableStores();
  disposal.defer(() => stores.stop());
  const { file = join(stores.folder, 'export'), profileFolder, say } = options;
  if (options.file === undefined) {
    say(`Writing an export of ${size.messages} messages ...`);
    await writeExport(source, file, size);
  }
  const loadBefore = loadavg()[0] ?? 0;
  const postgresBefore = await readTreeCpuNs(stores.postgres.pid, 'all');
  const startedAt = performance.now();
  const { process: command, ended } = startParley(
    {
      DATABASE_URL: stores.postgres.url,
      REDIS_URL: stores.redis.url,
      PARLEY_KEY_SECRET: randomBytes(24).toString('hex'),
      PARLEY_INTERNAL_SECRET: randomBytes(24).toString('hex'),
      PARLEY_UPLOADS_DIR: join(stores.folder, 'uploads'),
      ...(profileFolder !== undefined && {
        NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}`,
      }),
    },
    [
      'import-from',
      source,
      file,
      '--administrator',
      personEmail(0),
      '--spool',
      stores.folder,
      '--json',
    ],
  );
  disposal.defer(async () => {
    if (command.exitCode !== null || command.signalCode !== null) return;
    command.kill('SIGTERM');
    await once(command, 'exit');
  });
  const { cpuNs, peakMib } = await watch(command.pid ?? 0, ended);
  const { code, error } = await ended;
  const wallSecs = (performance.now() - startedAt) / 1_000;
  if (code !== 0) throw new Error(`the import ended with ${String(code)}: ${error}`);
  const postgresNs = (await readTreeCpuNs(stores.postgres.pid, 'all')) - postgresBefore;
  const pool = openTestPool(stores.postgres.url);
  disposal.defer(() => pool.end());
  const { rows } = await pool.query<{ messages: number; exceptions: number; bytes: number }>(
    `SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM read_exceptions) AS exceptions,
      pg_database_size(current_database()) AS bytes`,
  );
  const [row] = rows;
  const rounded = (secs: number): number => Math.round(secs * 10) / 10;
  return {
    wallSecs: rounded(wallSecs),
    commandCpuSecs: rounded(cpuNs / 1e9),
    postgresCpuSecs: rounded(postgresNs / 1e9),
    peakMib,
    loads: [rounded(loadBefore), rounded(loadavg()[0] ?? 0)],
    messages: row?.messages ?? 0,
    readExceptions: row?.exceptions ?? 0,
    databaseMib: mebibytes(row?.bytes ?? 0),
  };
}
