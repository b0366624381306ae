import { expect, test } from 'vitest';

import { compareResults, describeComparison } from './comparison.ts';
import { parsePgbench } from './controls/pgbench.ts';
import { judgeGoals } from './goals.ts';
import { describeResult } from './report-text.ts';
import { findWarnings } from './results.ts';
import type { CaseResult, ScenarioResult } from './results.ts';
import { describeCommand } from './run-measured.ts';
import { summarizeSamples } from './summary.ts';
import type { Sample } from './summary.ts';

function caseOf(name: string, samples: readonly Sample[], isControl = false): CaseResult {
  return {
    group: 'send',
    name,
    isControl,
    operation: 'send',
    samples,
    summary: summarizeSamples(samples),
  };
}

const control = 'pgbench, one statement for each send, 32 clients';

function resultOf(cases: readonly CaseResult[]): ScenarioResult {
  return {
    scenario: 'send',
    command: 'npm run load -- send',
    commit: 'abc',
    taken_at: '2030-01-01T00:00:00.000Z',
    machine: {
      cores: 2,
      processor: 'a & b',
      memory_gib: 4,
      node: 'v26',
      postgres: { fsync: 'on' },
    },
    repeats: 2,
    seconds: 10,
    warnings: findWarnings(cases),
    cases,
  };
}

const ours = caseOf('64 in flight, one topic', [
  { sends_per_s: 3_000, cpu_us_per_send: 320, cpu_gateway_us_per_send: 80 },
  { sends_per_s: 4_000, cpu_us_per_send: 280, cpu_gateway_us_per_send: 75 },
]);
const result = resultOf([
  ours,
  caseOf(control, [{ sends_per_s: 6_000 }, { sends_per_s: 5_000 }], true),
]);

test('a goal relative to a control is checked by the ratio of values measured side by side', () => {
  const [sends, cpu, ...others] = judgeGoals(result);
  // Not the ratio of the medians, which would be 3,500 to 5,500.
  expect(sends).toMatchObject({ value: 3_500, control: 5_500, ratio: 0.65, isReached: true });
  expect(cpu).toMatchObject({ value: 300, ratio: undefined, isReached: true });
  expect(others).toEqual([]);
});

test('a goal without its control or case is not checked', () => {
  expect(judgeGoals(resultOf([ours])).map(({ what }) => what)).toEqual([
    'send, 64 in flight, one topic: cpu_us_per_send',
  ]);
});

test('a missed goal is reported as missed', () => {
  const slow = resultOf([caseOf('64 in flight, one topic', [{ cpu_us_per_send: 301 }])]);
  expect(judgeGoals(slow)[0]?.isReached).toBe(false);
  expect(describeResult(slow)).toContain('MISSED');
});

test('a run whose generators or neighbours took much of the machine says so', () => {
  const cases = [
    caseOf('a', [{ generators_percent: 34, others_percent: 1 }, { others_percent: 6 }]),
  ];
  expect(findWarnings(cases)).toEqual([
    'a: the generators took 34 % of the machine',
    'a: something else took 6 % of the machine',
  ]);
  expect(findWarnings([caseOf('b', [{ generators_percent: 33, others_percent: 5 }])])).toEqual([]);
});

test('a comparison has the ratios of medians, and marks what the spread does not explain', () => {
  const before = resultOf([
    caseOf('64 in flight, one topic', [{ sends_per_s: 1_000, cpu_us_per_send: 290 }]),
  ]);
  const compared = compareResults(before, result);
  expect(compared).toMatchObject([
    { figure: 'sends_per_s', ratio: 3.5, isClear: true },
    { figure: 'cpu_us_per_send', isClear: false },
  ]);
  expect(describeComparison(compared)).toContain('3500 / 1000 = 3.5 *');
});

test('the recorded command contains no file', () => {
  const args = ['send', '--repeats', '5', '--report', '/a/b', '--compare=/a/file'];
  expect(describeCommand('send', args)).toBe('npm run load -- send --repeats 5');
});

const saidByPgbench = `transaction type: bare-send.sql
number of transactions actually processed: 16299
number of failed transactions: 0 (0.000%)
latency average = 5.890 ms
initial connection time = 30.118 ms
tps = 5433.123456 (without initial connection time)
`;

test('the output of pgbench is read', () => {
  expect(parsePgbench(saidByPgbench)).toEqual({
    sends: 16_299,
    sendsPerSec: 5_433.123_456,
    latencyMs: 5.89,
  });
});

test('a run of pgbench in which no transaction ended has no rate', () => {
  const said = `number of transactions actually processed: 0
number of failed transactions: 0 (-nan%)
`;
  expect(parsePgbench(said)).toEqual({ sends: 0, sendsPerSec: 0, latencyMs: 0 });
});

test('a failed transaction of pgbench is an error, and so is no output', () => {
  expect(() => parsePgbench(saidByPgbench.replace('transactions: 0', 'transactions: 3'))).toThrow(
    'failed',
  );
  expect(() => parsePgbench('')).toThrow('pgbench said');
});
