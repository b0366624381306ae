/**
 * A run of tests owns everything that its processes start and write: each process has the run's name in its environment, and each temporary
 * folder in its path. So what an interrupted run leaves can be told from what is in use, even if all of the run was killed: the name has
 * the number and the start time of the run's first process, and a later process with that number has another start time.
 *
 * On other systems than Linux, where the tests are not run, it does nothing.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

import { findProcessEntry, readBootId } from './process-identity.ts';
import { hasCode } from './secret-file.ts';

/** Where Linux keeps files in memory. */
export const memoryFolder = '/dev/shm';

/** Where Linux keeps temporary files on a disk, if `/tmp` is in memory. */
export const diskFolder = '/var/tmp';

const nameVariable = 'PARLEY_TEST_RUN';
const folderPrefix = 'parley-test-';
const runName = /^([0-9a-f]{8})_(\d+)_(\d+)/;

const waitStepMs = 20;
/** In which Postgres ends by itself, and removes its shared memory; it takes a fraction of this. */
const gentleWaitMs = 1_000;
const waitMaxMs = 3_000;

/** Differs between machines, their boots, and containers that count their processes separately. */
function nameOfPlace(): string {
  const place = `${readBootId()} ${readlinkSync('/proc/self/ns/pid')}`;
  return createHash('sha256').update(place).digest('hex').slice(0, 8);
}

/**
 * Whether a run has ended on this machine, so that what is left of it may be removed.
 *
 * @param text a text that begins with the name of a run
 */
export function isLeftByTestRun(text: string): boolean {
  const [, place, pid, startedAt] = runName.exec(text) ?? [];
  return (
    place !== undefined &&
    place === nameOfPlace() &&
    findProcessEntry(Number(pid))?.startedAt !== startedAt
  );
}

/** The name of the run that this process belongs to, if any. */
export function findTestRun(): string | undefined {
  return process.env[nameVariable];
}

/** What the environment of each process of a run contains, even if it contains little else. */
export function testRunEnvironment(): Readonly<Record<string, string>> {
  const name = findTestRun();
  return name === undefined ? {} : { [nameVariable]: name, TMPDIR: tmpdir() };
}

/** How the name of a temporary folder of this run begins, wherever it is. */
export function testFolderPrefix(): string {
  const name = findTestRun();
  return name === undefined ? folderPrefix : `${folderPrefix}${name}-`;
}

/**
 * Makes this process the first one of a run of tests, and removes what killed runs left. When this process ends, for any reason except
 * SIGKILL, every process of the run has ended and its folders are removed.
 */
export function beginTestRun(): void {
  if (process.platform !== 'linux') return;
  removeLeftTestRuns();
  const name = `${nameOfPlace()}_${process.pid}_${findProcessEntry(process.pid)?.startedAt}`;
  const parents = findParents();
  const folder = join(tmpdir(), `${folderPrefix}${name}`);
  mkdirSync(folder, { recursive: true });
  // The system user that Postgres runs as passes through it.
  chmodSync(folder, 0o711);
  process.env[nameVariable] = name;
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    endProcesses((run) => run === name, process.pid);
    removeFolders(parents, (run) => run === name || run.startsWith(`${name}-`));
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Ends the processes and removes the folders that killed runs left on this machine. */
export function removeLeftTestRuns(): void {
  if (process.platform !== 'linux') return;
  endProcesses(isLeftByTestRun);
  removeFolders(findParents(), isLeftByTestRun);
}

/** Where runs make folders. */
function findParents(): string[] {
  return [tmpdir(), memoryFolder, diskFolder].filter((parent) => existsSync(parent));
}

function removeFolders(parents: readonly string[], isOf: (run: string) => boolean): void {
  for (const parent of parents) {
    const left = readdirSync(parent).filter(
      (name) => name.startsWith(folderPrefix) && isOf(name.slice(folderPrefix.length)),
    );
    for (const name of left) {
      try {
        rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 3 });
      } catch (error) {
        // Another user's.
        if (!hasCode(error, 'EACCES') && !hasCode(error, 'EPERM')) throw error;
      }
    }
  }
}

/** Ends the processes of runs and those of a first process, with everything that they have started. */
function endProcesses(isOf: (run: string) => boolean, first?: number): void {
  const found = new Map<number, string>();
  const asked = new Set<number>();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < waitMaxMs; waitedMs += waitStepMs) {
    findProcesses(found, isOf, first);
    if (found.size === 0) return;
    for (const pid of found.keys()) {
      const isGentle = waitedMs < gentleWaitMs && isPostgres(pid);
      if (!isGentle || !asked.has(pid)) send(pid, isGentle ? 'SIGQUIT' : 'SIGKILL');
      asked.add(pid);
    }
    Atomics.wait(pause, 0, 0, waitStepMs);
  }
}

/** Brings what was found earlier up to date. Its start times stay, because a process that has lost its parent is found by nothing else. */
function findProcesses(
  found: Map<number, string>,
  isOf: (run: string) => boolean,
  first: number | undefined,
): void {
  const running = readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    const entry = Number.isInteger(pid) && pid !== process.pid ? findProcessEntry(pid) : undefined;
    return entry === undefined ? [] : [{ pid, ...entry }];
  });
  const starts = new Map(running.map(({ pid, startedAt }) => [pid, startedAt]));
  for (const [pid, startedAt] of found) if (starts.get(pid) !== startedAt) found.delete(pid);
  for (const { pid, parent, startedAt } of running)
    if (parent === first || isOf(findRunOf(pid) ?? '')) found.set(pid, startedAt);
  // A child has a later start, but numbers begin again at some time.
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent, startedAt } of running)
      if (found.has(parent)) found.set(pid, startedAt);
  }
}

/** The run in the environment of a process, which only its user can read. */
function findRunOf(pid: number): string | undefined {
  const prefix = `${nameVariable}=`;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((variable) => variable.startsWith(prefix))
      ?.slice(prefix.length);
  } catch {
    return undefined;
  }
}

function isPostgres(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).endsWith('/bin/postgres');
  } catch {
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
