import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { pause, systemClock } from '@parley/clock';
import {
  findProcessIdentity,
  hasCode,
  readOrMakeSecret,
  removePostgresData,
} from './local-stores/index.ts';

import { LaunchFault } from './launch-fault.ts';
import { quote } from './shell-quote.ts';

/** The number of the layout described here; other versions of Parley may have other numbers. */
const layout = 1;
/** The commands of the repository keep these in `.parley` beside the data. */
export const foreignNames: ReadonlySet<string> = new Set(['tools', 'reports']);
const leftoverPatienceMs = 10_000;
/** The settings for the operator's command, in a form for shells; present while everything runs. */
export const environmentFile = 'environment';

type RunningRecord = {
  launcher: number;
  port: number;
  processes: { service: string; pid: number; identity: string }[];
};

/** The two secrets that all services share. */
export type Secrets = { internal: string; key: string };

/**
 * The folder with all data of a local Parley, held by one launcher at a time.
 *
 * - `parley.json` marks the folder as Parley's and names the layout.
 * - `start.lock` is locked by the launcher while it lives. The system drops the lock with the process, so a killed launcher leaves none
 *   behind.
 * - `running.json` lists the running processes, so that the next launcher can end those that a killed one left.
 * - `environment` has the settings for the operator's command, secrets included, while everything runs.
 * - `postgres`, `redis`, `uploads`, `mails`, `secrets` and `logs` contain what their names say; `demo-accounts.json` has the passwords made by
 *   seeding.
 */
export class DataFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;
  #record: RunningRecord;

  private constructor(path: string, lock: DatabaseSync, port: number) {
    this.path = path;
    this.#lock = lock;
    this.#record = { launcher: process.pid, port, processes: [] };
  }

  /**
   * Takes the folder, makes it if needed, and ends the processes that a killed launcher left.
   *
   * @param path absolute path
   * @param port the gateway's port, for the message that another launcher shows
   * @param say receives lines of progress
   * @throws LaunchFault if another launcher holds it or it is not a folder of Parley
   */
  static async open(path: string, port: number, say: (line: string) => void): Promise<DataFolder> {
    checkIsOurs(path);
    const lock = takeLock(path);
    const folder = new DataFolder(path, lock, port);
    const left = readRecord(path);
    if (left !== undefined) await endLeftovers(left, say);
    folder.#write();
    return folder;
  }

  folderFor(name: 'postgres' | 'redis' | 'uploads' | 'mails' | 'secrets' | 'logs'): string {
    const folder = join(this.path, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Removes the data of earlier starts. */
  async clear(): Promise<void> {
    await removePostgresData(join(this.path, 'postgres'));
    for (const name of ['redis', 'uploads', 'mails', 'secrets', 'logs', 'demo-accounts.json']) {
      rmSync(join(this.path, name), { recursive: true, force: true });
    }
  }

  /**
   * Reads the secrets, or makes them at the first start.
   *
   * @throws LaunchFault if there is a database but no secrets, because values in it are encrypted
   */
  async readSecrets(): Promise<Secrets> {
    const paths = ['internal', 'key'].map((name) => join(this.path, 'secrets', name));
    const isMissing = paths.some((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
    const hasDatabase =
      statSync(join(this.path, 'postgres', 'password'), { throwIfNoEntry: false }) !== undefined;
    if (isMissing && hasDatabase) {
      throw new LaunchFault(
        [
          `The folder ${this.path} has a database, but not the secrets that belong to it.`,
          'Put the folder back as a whole from a backup, start with --fresh to begin anew, or choose',
          'another folder with --data.',
        ].join('\n'),
      );
    }
    this.folderFor('secrets');
    const [internal, key] = await Promise.all(paths.map(readOrMakeSecret));
    if (internal === undefined || key === undefined) throw new Error('two paths, two secrets');
    return { internal, key };
  }

  /** Records that a process runs, in place of an earlier one of that name. */
  recordProcess(service: string, pid: number): void {
    const processes = this.#record.processes.filter((entry) => entry.service !== service);
    this.#record = {
      ...this.#record,
      processes: [...processes, { service, pid, identity: findProcessIdentity(pid) ?? '' }],
    };
    this.#write();
  }

  /** Writes the environment of the services, readable only by this user, for a shell: `set -a; . environment; set +a`. */
  writeEnvironment(values: Readonly<Record<string, string>>): void {
    const file = join(this.path, environmentFile);
    const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}\n`);
    writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** Releases the folder. Nothing may run on it any more. */
  release(): void {
    rmSync(join(this.path, environmentFile), { force: true });
    rmSync(join(this.path, 'running.json'), { force: true });
    this.#lock.close();
  }

  #write(): void {
    const file = join(this.path, 'running.json');
    writeFileSync(`${file}.new`, `${JSON.stringify(this.#record)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

function checkIsOurs(path: string): void {
  const mark = join(path, 'parley.json');
  try {
    mkdirSync(path, { recursive: true });
    const text = findText(mark);
    if (text === undefined) {
      if (readdirSync(path).some((name) => !foreignNames.has(name))) {
        throw new LaunchFault(
          `${path} is not empty and was not made by Parley. Choose another folder with --data.`,
        );
      }
      writeFileSync(`${mark}.new`, `${JSON.stringify({ layout })}\n`);
      renameSync(`${mark}.new`, mark);
      return;
    }
    const found = findLayout(text);
    if (found !== layout) {
      throw new LaunchFault(
        `${path} was made by another version of Parley (layout ${JSON.stringify(found) ?? 'unknown'}, this one has ${layout}). Remove it or choose another folder with --data.`,
      );
    }
  } catch (error) {
    for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC']) {
      if (hasCode(error, code)) {
        throw new LaunchFault(
          `The data folder ${path} cannot be used (${String(error)}). Choose another one with --data.`,
          { cause: error },
        );
      }
    }
    throw error;
  }
}

function findText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function findLayout(text: string): unknown {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && 'layout' in value
    ? value.layout
    : undefined;
}

function takeLock(path: string): DatabaseSync {
  const file = join(path, 'start.lock');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (!(error instanceof Error && error.message.includes('locked'))) {
      throw new LaunchFault(
        `The data folder ${path} cannot be used: its lock ${file} cannot be taken (${String(error)}). Choose another one with --data.`,
        { cause: error },
      );
    }
    const holder = readRecord(path);
    const words =
      holder === undefined ? '' : ` (process ${holder.launcher}, at port ${holder.port})`;
    throw new LaunchFault(
      `A Parley already runs on ${path}${words}. Stop it first, or start another one with --data OTHER_FOLDER --port OTHER_PORT.`,
      { cause: error },
    );
  }
}

function readRecord(path: string): RunningRecord | undefined {
  const value = parseJson(findText(join(path, 'running.json')) ?? '');
  // Only this module writes the file, in one step.
  return value === undefined ? undefined : (value as RunningRecord);
}

/** Ends the processes that a killed launcher left: services first, then the stores. */
async function endLeftovers(record: RunningRecord, say: (line: string) => void): Promise<void> {
  const isStore = (service: string): boolean => service === 'postgres' || service === 'redis';
  for (const phase of [false, true]) {
    const left = record.processes.filter(
      ({ service, pid, identity }) =>
        isStore(service) === phase && identity !== '' && findProcessIdentity(pid) === identity,
    );
    const runs = ({ pid, identity }: { pid: number; identity: string }): boolean =>
      findProcessIdentity(pid) === identity;
    for (const entry of left) {
      say(`Ending ${entry.service} (process ${entry.pid}), left by a launcher that was killed.`);
      sendSignal(entry.pid, entry.service === 'postgres' ? 'SIGINT' : 'SIGTERM');
    }
    const deadlineMs = systemClock.elapsedMs() + leftoverPatienceMs;
    const waitUntil = async (untilMs: number): Promise<void> => {
      while (left.some(runs) && systemClock.elapsedMs() < untilMs) await pause(systemClock, 50);
    };
    await waitUntil(deadlineMs);
    for (const entry of left.filter(runs)) {
      sendSignal(entry.pid, entry.service === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    }
    await waitUntil(deadlineMs + leftoverPatienceMs);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended by itself meanwhile.
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
