import { parseArgs } from 'node:util';

import { beginTestRun } from '@parley/launcher/local-stores';

import { runChaos } from './chaos-run.ts';
import { faultKindsOf } from './fault-schedule.ts';
import { describeFaultCounts, describeRuns, findUnproven, hasHeld } from './report.ts';
import type { RunReport } from './report.ts';
import { breakRules } from './run-sabotage.ts';
import { sabotages } from './sabotages.ts';

const usage = `npm run chaos -- [options]
  --seed N          the faults of this seed (default 1)
  --seeds N         so many seeds, one after the other, from --seed on (default 1)
  --minutes M       traffic under faults in each run (default 2)
  --together        two processes with all services, in place of separate ones
  --sabotage NAME   breaks a rule in a copy and expects a finding: ${Object.keys(sabotages).join(', ')} or all
`;

const seedsMost = 1_000;
const minutesMost = 600;

function readNumber(text: string, name: string, least: number, most: number): number {
  const value = Number(text);
  if (!(value >= least && value <= most))
    throw new Error(`--${name} is a number from ${least} to ${most}`);
  return value;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '2' },
      together: { type: 'boolean', default: false },
      sabotage: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const first = Math.trunc(readNumber(values.seed, 'seed', 0, 2 ** 31));
  const seeds = Math.trunc(readNumber(values.seeds, 'seeds', 1, seedsMost));
  const minutes = readNumber(values.minutes, 'minutes', 0.5, minutesMost);
  if (values.sabotage !== undefined)
    return breakRules({ name: values.sabotage, seed: first, minutes }, say);
  const reports: RunReport[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const done = await runChaos(
      { seed, durationMs: minutes * 60_000, isTogether: values.together },
      say,
    );
    reports.push(done);
    say(describeRuns([done]));
  }
  const unproven = findUnproven(reports, faultKindsOf(values.together));
  for (const reason of unproven) say(`Not proven: ${reason}`);
  if (seeds > 1) {
    say(describeFaultCounts(reports));
    say(describeRuns(reports));
  }
  return hasHeld(reports) && unproven.length === 0 ? 0 : 1;
}

// Each process of a run listens for the exit of this one, to end with it.
process.setMaxListeners(0);
beginTestRun();
try {
  // Without `exit`, sockets that were reset before anybody read from them could keep a finished run alive.
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${usage}`);
  process.exit(1);
}
