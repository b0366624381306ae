import { expect, test } from 'vitest';

import { runChaos } from './chaos-run.ts';
import { describeFindings, describeRuns } from './report.ts';

const durationMs = 120_000;
// Each process of the run listens for the exit of this one.
process.setMaxListeners(0);

test(
  'two minutes of all kinds of faults lose, repeat, reorder and leak nothing',
  { timeout: 600_000 },
  async () => {
    const done = await runChaos({ seed: 1, durationMs }, () => undefined);
    process.stdout.write(`${describeRuns([done])}\n`);
    expect(describeFindings(done)).toBe('');
    expect(done.acknowledged).toBeGreaterThan(0);
  },
);
