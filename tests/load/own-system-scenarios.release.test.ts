/** The scenarios that need a system of their own run, find no fault and measure something. The values of the figures are not tested. */
import { expect, test } from 'vitest';

import { startOwnSystem } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import { measureAttacks } from './scenarios/attacks.ts';
import type { AttackResult } from './scenarios/attacks.ts';
import { measureImport } from './scenarios/import.ts';
import { soak } from './scenarios/soak.ts';
import type { SoakSample } from './scenarios/soak.ts';
import { describeStatements, measureStatements } from './scenarios/statements.ts';
import type { StatementsResult } from './scenarios/statements.ts';

test('a soak', async () => {
  const samples: SoakSample[] = [];
  await using disposal = new AsyncDisposableStack();
  const system = await startOwnSystem(1, { events: 2, environment: inspectable });
  disposal.defer(() => system.stop());
  const result = await soak(
    system,
    { minutes: 0.2, clients: 30, fill: 100, sampleSecs: 4 },
    (sample) => samples.push(sample),
  );
  expect(result.abandoned).toBeGreaterThan(0);
  expect(result.deleted).toBeGreaterThan(0);
  // Three processes each time.
  expect(samples.length % 3).toBe(0);
  expect(samples.every(({ open_files: files, listeners }) => files > 0 && listeners > 0)).toBe(
    true,
  );
});

test('an import is measured', async () => {
  const size = { people: 5, channels: 2, messages: 600, threads: 20, reactions: 40, seed: 1 };
  const result = await measureImport('mattermost', size, {
    file: undefined,
    profileFolder: undefined,
    say: () => undefined,
  });
  expect(result.messages).toBe(size.messages);
  expect(result.commandCpuSecs).toBeGreaterThan(0);
  expect(result.postgresCpuSecs).toBeGreaterThan(0);
  expect(result.peakMib).toBeGreaterThan(0);
});

test('statements', async () => {
  const results: StatementsResult[] = [];
  await measureStatements(
    { sizes: [120], secs: 1 },
    (result) => results.push(result),
    () => undefined,
  );
  for (const result of results)
    if ('in_flight' in result) expect(result.postgres_us_per_send).toBeGreaterThan(0);
  const table = describeStatements(results);
  expect(table).toContain('| 120 | 120, analyzed |');
  expect(table).toMatch(/nobody is told \| send-messages \| 1 \| \d+ \| \d+ \|/);
});

test.each(['64 KiB', 'webhook of numbers'])('attacks: %s', async (only) => {
  const results: AttackResult[] = [];
  await using disposal = new AsyncDisposableStack();
  const system = await startOwnSystem(1, { events: 1 });
  disposal.defer(() => system.stop());
  await measureAttacks(system, only, (result) => results.push(result));
  expect(results.map(({ answers }) => answers)).toEqual([{ 400: 1 }, { 400: 1 }]);
  for (const result of results) expect(result.others_longest_ms).toBeGreaterThan(0);
});
