import { expect, test } from 'vitest';

import { runChaos } from './chaos-run.ts';
import { describeFindings, describeRuns, findUnproven } from './report.ts';

const durationMs = 600_000;
// Each process of the run listens for the exit of this one.
process.setMaxListeners(0);

test.each([2, 3, 4, 5, 6])(
  'ten minutes of all kinds of faults lose, repeat, reorder and leak nothing (seed %i)',
  async (seed) => {
    const done = await runChaos({ seed, durationMs }, () => undefined);
    process.stdout.write(`${describeRuns([done])}\n`);
    expect(describeFindings(done)).toBe('');
    expect(findUnproven([done])).toEqual([]);
  },
);
