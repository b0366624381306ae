import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import {
  addUses,
  describeUse,
  differ,
  parseMachineTimes,
  parseStat,
  readCpuNs,
  readTreeCpuNs,
} from './accounting.ts';
import type { Look } from './accounting.ts';

test('a line of the kernel is read despite spaces and parentheses in a name', () => {
  const line =
    '4242 (a (strange) name) S 17 4242 4242 0 -1 4194304 100 0 0 0 120 30 7 3 20 0 11 0 999 1 1';
  expect(parseStat(line)).toEqual({
    parentPid: 17,
    ownNs: 1_500_000_000,
    endedChildrenNs: 100_000_000,
  });
});

test('processor time of processes and of interrupts is separate, and excludes idle time', () => {
  expect(
    parseMachineTimes('cpu  100 10 50 9000 800 3 4 5 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n'),
  ).toEqual({ busyNs: 1_600_000_000, interruptsNs: 70_000_000 });
});

const look = (atMs: number, scale: number): Look => ({
  atMs,
  cpuNs: { gateway: 3e8 * scale, postgres: 1e8 * scale, generators: 5e7 * scale, run: 5e7 * scale },
  machine: { busyNs: 7e8 * scale, interruptsNs: 1e8 * scale },
});

test('processor time is divided by operations, and time of other processes is separate', () => {
  const use = differ(look(1_000, 1), look(2_000, 2));
  expect(describeUse(use, 1_000, 'send', 2)).toEqual({
    cpu_gateway_us_per_send: 300,
    cpu_postgres_us_per_send: 100,
    cpu_us_per_send: 400,
    system_percent: 20,
    generators_percent: 5,
    others_percent: 10,
    interrupts_percent: 5,
  });
});

test('without operations nothing is divided', () => {
  const use = differ(look(1_000, 1), look(2_000, 2));
  expect(Object.keys(describeUse(use, 0, 'send', 2))).not.toContain('cpu_us_per_send');
});

test('usage of several periods is added', () => {
  const use = differ(look(0, 1), look(500, 2));
  const sum = addUses([use, use]);
  expect(sum.secs).toBe(1);
  expect(sum.cpuNs['gateway']).toBe(6e8);
  expect(sum.machine.interruptsNs).toBe(2e8);
});

test('the processor time of a process grows with its work, and includes ended children', async () => {
  const before = await readCpuNs(process.pid);
  const treeBefore = await readTreeCpuNs(process.pid, 'ended');
  const child = spawn(process.execPath, [
    '-e',
    'const until = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < until);',
  ]);
  await once(child, 'close');
  const usage = process.cpuUsage();
  while (process.cpuUsage(usage).user < 50_000);
  expect((await readCpuNs(process.pid)) - before).toBeGreaterThan(40_000_000);
  expect((await readTreeCpuNs(process.pid, 'ended')) - treeBefore).toBeGreaterThan(200_000_000);
});

test('an ended process took nothing', async () => {
  const child = spawn('true');
  await once(child, 'close');
  expect(await readCpuNs(child.pid ?? 0)).toBe(0);
});
