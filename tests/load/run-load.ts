import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { commands } from './commands.ts';
import { compareResults, describeComparison } from './comparison.ts';
import { Interrupted, untilInterrupted } from './interruption.ts';
import { readArguments } from './load-options.ts';
import type { LoadOptions } from './load-options.ts';
import { startOwnSystem } from './load-system.ts';
import { describeResult } from './report-text.ts';
import type { ScenarioResult } from './results.ts';
import { describeLogs, findOwnSystem, runMeasured } from './run-measured.ts';
import type { MeasuredScenario } from './scenario.ts';
import { measuredScenarios } from './scenarios/index.ts';

const describeEach = (of: readonly (readonly [name: string, summary: string])[]): string =>
  of.map(([name, summary]) => `  ${name.padEnd(26)} ${summary}`).join('\n');

const usage = `npm run load -- [SCENARIO] [options]

Measured scenarios: figures over several runs, with controls beside them
${describeEach(measuredScenarios.map(({ name, summary }) => [name, summary]))}
  --repeats N                how often each case is run (default 1)
  --seconds N                how long a run measures (default: the scenario's own)
  --warm-up N                seconds before each run (default 2, and four times that before the first)
  --only TEXT                only cases whose name has it
  --no-controls              only ours
  --followers A,B            send: queues that follow (default 1; 0 for none); chat: numbers of followers
  --senders A,B              send: clients in flight (default 1,8,64)
  --topics A,B               send: topics they send to (default 1,200)
  --rate A,B                 chat, steady: messages a second; office: requests a second, polls included (default 500)
  --audience A,B             audience: numbers of subscribers (default 10,1000,100000)
  --polls A,B                idle: held polls (default 1000,9000)
  --streams A,B              chat, idle: open streams (default 1000, unless there are --followers or --polls)
  --messages N               history: to make (default 1000000); reads: unread ones (default 100000)
  --people N                 reads: in the organization that registers (default 1000); office: at work (default 2000); scale (default 600);
                             storm: clients (default 5000)
  --processes a=N,b=N        processes of a service, such as events=2,gateway=2 (default one of each), or together=1: all in one
  --profile DIR              each process writes a CPU profile there when it ends
  --report DIR               writes SCENARIO.json there
  --compare FILE             an earlier SCENARIO.json: ratios of the medians; a star where the runs do not overlap
  --json                     the result as JSON

Others, with their options
${describeEach(Object.entries(commands).map(([name, { summary }]) => [name, summary]))}
`;

const peopleOfOwnSystem = 20;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [name = 'send', ...surplus] = positionals;
  const measured = measuredScenarios.find((each) => each.name === name);
  const command = commands[name];
  const isKnown = measured !== undefined || command !== undefined;
  if (values.help || surplus.length > 0 || !isKnown) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const say = (text: string): void => {
    if (!values.json) process.stderr.write(`${text}\n`);
  };
  const report = (result: object): void => {
    const indentation = values.json ? undefined : 2;
    process.stdout.write(
      `${JSON.stringify({ scenario: name, ...result }, undefined, indentation)}\n`,
    );
  };
  say(`${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`);
  if (measured === undefined) await command?.run(values, { say, report });
  else await measure(measured, values, say);
}

async function measure(
  scenario: MeasuredScenario,
  options: LoadOptions,
  say: (text: string) => void,
): Promise<void> {
  say('Starting a system ...');
  const system = await startOwnSystem(peopleOfOwnSystem, findOwnSystem(scenario, options));
  try {
    const result = await untilInterrupted(runMeasured(scenario, system, options, say));
    await hand(result, options, say);
  } catch (error) {
    if (!(error instanceof Interrupted)) say(await describeLogs(system));
    throw error;
  } finally {
    await system.stop();
  }
}

/** Prints a result, and writes it to a file if requested. */
async function hand(
  result: ScenarioResult,
  options: LoadOptions,
  say: (text: string) => void,
): Promise<void> {
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : describeResult(result));
  if (options.compare !== undefined && !options.json) {
    const before = JSON.parse(await readFile(options.compare, 'utf8')) as ScenarioResult;
    process.stdout.write(describeComparison(compareResults(before, result)));
  }
  if (options.report === undefined) return;
  await mkdir(options.report, { recursive: true });
  const file = join(options.report, `${result.scenario}.json`);
  await writeFile(file, `${JSON.stringify(result, undefined, 1)}\n`);
  say(`Written: ${file}`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Interrupted)) throw error;
  process.stderr.write(`${error.message}\n`);
  // The clients of the run would otherwise continue for a while without a system.
  process.exit(130);
}
