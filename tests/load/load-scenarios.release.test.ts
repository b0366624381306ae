/** All measured scenarios run, find no fault and measure something. The values of the figures are not tested. */
import { serviceNames } from '@parley/test-kit';
import { afterAll, expect, test } from 'vitest';

import { readArguments } from './load-options.ts';
import { startOwnSystem } from './load-system.ts';
import type { LoadSystem } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import type { ScenarioResult } from './results.ts';
import { findOwnSystem, runMeasured } from './run-measured.ts';
import { measuredScenarios } from './scenarios/index.ts';
import { findCapacity } from './scenarios/capacity.ts';
import type { CapacityStep } from './scenarios/capacity.ts';

const small = ['--seconds', '1', '--warm-up', '0.2'];
/** For scenarios some of whose requests take most of a second on a busy machine. */
const longer = ['--seconds', '3'];

// One system for all scenarios that are measured, because starting it takes longer than they do here.
let shared: Promise<LoadSystem> | undefined;
afterAll(async () => {
  await (await shared)?.stop();
});

async function measure(name: string, args: readonly string[]): Promise<ScenarioResult> {
  const scenario = measuredScenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const { values } = readArguments([name, ...small, ...args]);
  shared ??= startOwnSystem(3, { events: 1, logsToFiles: true, environment: inspectable });
  return runMeasured(scenario, await shared, values, () => undefined);
}

test('a separate system has the requested parts', () => {
  const [scenario] = measuredScenarios;
  if (scenario === undefined) throw new Error('no scenarios');
  const { values } = readArguments([
    'send',
    '--processes',
    'events=2,gateway=3',
    '--profile',
    '/p',
  ]);
  expect(findOwnSystem(scenario, values)).toMatchObject({
    events: 2,
    gateways: 3,
    serviceEnvironment: { events: { NODE_OPTIONS: '--cpu-prof --cpu-prof-dir=/p/events' } },
  });
});

test('send', async () => {
  const { cases, machine } = await measure('send', [
    '--senders',
    '2,4',
    '--topics',
    '3',
    '--repeats',
    '2',
  ]);
  const ours = cases.filter(({ isControl }) => !isControl);
  expect(ours.map(({ name, samples }) => [name, samples.length])).toEqual([
    ['2 in flight, 3 topics', 2],
    ['4 in flight, 3 topics', 2],
  ]);
  for (const { summary } of ours)
    for (const figure of [
      'sends_per_s',
      'cpu_us_per_send',
      'cpu_postgres_us_per_send',
      'wal_bytes_per_send',
    ])
      expect(summary[figure]?.median).toBeGreaterThan(0);
  expect(machine.postgres).toMatchObject({ fsync: 'on', synchronous_commit: 'on' });
});

test('chat', async () => {
  const args = ['--followers', '20', '--streams', '30', '--rate', '20'];
  const { cases } = await measure('chat', args);
  expect(cases.map(({ group, name }) => [group, name])).toEqual([
    ['20 followers', '20 messages a second'],
    ['30 streams', '20 messages a second'],
  ]);
  for (const { summary } of cases) {
    expect(summary['deliveries_per_s']?.median).toBeGreaterThan(0);
    expect(summary['send_to_receive_p50_ms']?.median).toBeGreaterThan(0);
  }
});

test('reads', async () => {
  const { cases } = await measure('reads', [...longer, '--messages', '1000', '--people', '50']);
  const ours = cases.filter(({ isControl }) => !isControl);
  expect(ours.map(({ group }) => group)).toEqual([
    'a cheap endpoint',
    'a cheap endpoint',
    'register',
    'register',
    'register with unread',
    'register with unread',
    ...Array.from({ length: 4 }, () => 'a page'),
    ...Array.from({ length: 3 }, () => 'presence'),
    'mark all as read',
  ]);
  for (const { summary, operation } of cases)
    expect(summary[`${operation}_p50_ms`]?.median).toBeGreaterThan(0);
});

test('history', async () => {
  const { cases } = await measure('history', [...longer, '--messages', '10000']);
  const names = cases.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('narrow: '))).toHaveLength(11);
  expect(names.filter((name) => name.startsWith('search '))).toHaveLength(3);
  expect(names.slice(0, 2)).toEqual([
    '100 newest of a stream',
    '100 newest of a stream, 8 in flight',
  ]);
  for (const { summary } of cases) expect(summary['request_p50_ms']?.median).toBeGreaterThan(0);
});

test('steady', async () => {
  const { cases } = await measure('steady', ['--messages', '500', '--rate', '50']);
  const [steady] = cases;
  expect(steady?.name).toBe('50 sends a second for 1 s');
  expect(steady?.summary['send_max_ms']?.median).toBeGreaterThan(0);
});

test('office', async () => {
  const { cases } = await measure('office', [...longer, '--people', '40', '--rate', '60']);
  const [office] = cases;
  expect(office?.name).toBe('39 people, 60 requests a second');
  for (const kind of ['presence', 'flags', 'history', 'send', 'small_read', 'send_to_receive'])
    expect(office?.summary[`${kind}_p50_ms`]?.median).toBeGreaterThan(0);
  for (const service of serviceNames)
    expect(office?.summary[`loop_${service}_p999_ms`]?.median).toBeGreaterThan(0);
});

test('capacity', async () => {
  shared ??= startOwnSystem(3, { events: 1, logsToFiles: true, environment: inspectable });
  const steps: CapacityStep[] = [];
  const search = { from: 13, most: 26, secs: 1, warmUpSecs: 0.2, cores: 2 };
  const { people } = await findCapacity(
    await shared,
    search,
    (step) => steps.push(step),
    () => undefined,
  );
  expect(steps[0]).toMatchObject({ people: 13, gateways: 1, fault: undefined });
  const carried = steps.filter(({ isCarried }) => isCarried).map((step) => step.people);
  expect(people).toBe(Math.max(0, ...carried));
});

test('storm', async () => {
  const { cases } = await measure('storm', ['--people', '60', '--repeats', '2']);
  expect(cases.map(({ name, samples }) => [name, samples.length])).toEqual([
    ['60 clients, events only', 2],
    ['60 clients, events and own state', 2],
  ]);
  for (const { summary } of cases) expect(summary['until_all_hold_ms']?.median).toBeGreaterThan(0);
});

test('scale', async () => {
  const args = ['--people', '26', '--senders', '4', '--only', 'events 2'];
  const { cases } = await measure('scale', args);
  expect(cases.map(({ group }) => group)).toEqual(['events 2']);
  for (const { summary } of cases) {
    expect(summary['requests_per_s']?.median).toBeGreaterThan(0);
    expect(summary['core_percent_gateway']?.median).toBeGreaterThan(0);
  }
});

test.each([
  ['idle', '--polls', 'held polls'],
  ['idle-streams', '--streams', 'open streams'],
])('%s', async (scenario, option, groups) => {
  const args = [option, '20,60', '--repeats', '2'];
  const ours = (await measure(scenario, args)).cases.filter(({ isControl }) => !isControl);
  expect(ours.map(({ group, samples }) => [group, samples.length])).toEqual([
    [`20 ${groups}`, 2],
    [`60 ${groups}`, 2],
  ]);
  for (const { summary } of ours) {
    expect(summary['open_files_events']?.median).toBeGreaterThan(20);
    expect(summary['send_to_receive_p50_ms']?.median).toBeGreaterThan(0);
  }
});

test('audience', async () => {
  const { cases } = await measure('audience', ['--audience', '2,30']);
  expect(cases.map(({ name }) => name)).toEqual(['2 subscribers', '30 subscribers']);
  for (const { summary } of cases) expect(summary['rows_per_send']?.median).toBeDefined();
});

test('typing', async () => {
  const { cases } = await measure('typing', []);
  for (const { summary } of cases)
    expect(summary['typing_to_receive_p50_ms']?.median).toBeGreaterThan(0);
});
