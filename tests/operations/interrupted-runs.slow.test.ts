/** A run of tests leaves no process and no folder when it is interrupted, and what one leaves that is killed is removed by the next. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { repositoryFolder, waitUntil } from '@parley/test-kit';
import { afterEach, expect, test } from 'vitest';

type Held = { readonly run: string; readonly folder: string; readonly pids: readonly number[] };

const memoryFolder = '/dev/shm';
const runner = 'exec node tests/operations/held-run/run.mjs';

let npm: ChildProcess | undefined;

afterEach(() => {
  if (npm?.exitCode === null && npm.signalCode === null) npm.kill('SIGTERM');
});

/** Starts a run by npm, and waits until its test holds. */
async function hold(): Promise<Held> {
  const child = spawn('npm', ['exec', '--offline', '-c', runner], {
    cwd: repositoryFolder,
    // As in a terminal, all of whose processes get its Ctrl-C.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  npm = child;
  const line = await new Promise<string>((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, found] = /^held (\{.*\})$/m.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
    child.once('close', () => reject(new Error(output)));
  });
  return JSON.parse(line) as Held;
}

function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The processes of a run, by their environments: its stores too. */
function findProcesses(run: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        return variables.includes(`PARLEY_TEST_RUN=${run}`);
      } catch {
        return false;
      }
    });
}

function whatIsLeft({ run, folder, pids }: Held): readonly (number | string)[] {
  return [
    ...pids.filter(runs),
    ...findProcesses(run),
    ...[tmpdir(), memoryFolder].flatMap((parent) =>
      readdirSync(parent).filter((name) => name.includes(run)),
    ),
    ...(existsSync(folder) ? [folder] : []),
  ];
}

async function expectNothingIsLeft(held: Held): Promise<void> {
  await waitUntil('npm has ended', () => npm?.exitCode !== null || npm.signalCode !== null);
  await waitUntil('nothing is left', () => whatIsLeft(held).length === 0);
}

test.each([
  ['Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
  ['the end of npm alone', (pid: number) => process.kill(pid, 'SIGTERM')],
  ['npm being killed', (pid: number) => process.kill(pid, 'SIGKILL')],
])('%s ends everything', async (_how, end) => {
  const held = await hold();
  expect(whatIsLeft(held)).toContain(held.folder);
  expect(findProcesses(held.run).length).toBeGreaterThan(held.pids.length);
  end(npm?.pid ?? 0);
  await expectNothingIsLeft(held);
});

test('a run removes what one left that was killed', async () => {
  const killed = await hold();
  const group = npm?.pid ?? 0;
  const first = Number(killed.run.split('_')[1]);
  // Otherwise what is left of the run for a moment ends the rest.
  process.kill(-group, 'SIGSTOP');
  process.kill(first, 'SIGKILL');
  process.kill(-group, 'SIGKILL');
  await waitUntil('the run is killed', () => !runs(first));
  // The stores at least, which have groups of their own.
  expect(findProcesses(killed.run).length).toBeGreaterThan(1);
  const next = await hold();
  expect(whatIsLeft(killed)).toEqual([]);
  process.kill(npm?.pid ?? 0, 'SIGTERM');
  await expectNothingIsLeft(next);
});
