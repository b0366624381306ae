import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { compareResults, describeComparison } from './comparison.ts';
import { readAmount, readArguments, readCount, readCounts } from './load-options.ts';
import type { LoadOptions } from './load-options.ts';
import { startOwnSystem, useSystem } from './load-system.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import { renderReport } from './report-html.ts';
import { describeResult } from './report-text.ts';
import type { ScenarioResult } from './results.ts';
import { describeLogs, findOwnSystem, runMeasured } from './run-measured.ts';
import type { MeasuredScenario } from './scenario.ts';
import { readHistoryLength } from './scenarios/history.ts';
import { measureAttacks } from './scenarios/attacks.ts';
import { readExportSize, readExportSource, writeExport } from './exports/write-export.ts';
import { findCapacity } from './scenarios/capacity.ts';
import { explainPages, planLine } from './scenarios/page-plans.ts';
import { measureIdleQueues } from './scenarios/idle-queues.ts';
import { measuredScenarios } from './scenarios/index.ts';
import { measureNodeDeath } from './scenarios/node-death.ts';
import { measureImport } from './scenarios/import.ts';
import { soak } from './scenarios/soak.ts';
import { describeStatements, measureStatements } from './scenarios/statements.ts';
import type { StatementsResult } from './scenarios/statements.ts';
import { measureSubscribing } from './scenarios/subscribe.ts';
import { measureNotifications } from './scenarios/notifications.ts';

const usage = `npm run load -- [SCENARIO] [options]

Measured scenarios: figures over several runs, with controls beside them
${measuredScenarios.map(({ name, summary }) => `  ${name.padEnd(26)} ${summary}`).join('\n')}
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
  --processes a=N,b=N        processes of a service, such as events=2,gateway=2 (default one of each)
  --profile DIR              each process writes a CPU profile there when it ends
  --report DIR               writes SCENARIO.json there
  --compare FILE             an earlier SCENARIO.json: ratios of the medians; a star where the runs do not overlap
  --target URL               send, interface: a server that runs already (default: one is started, with rate limits off)
  --accounts FILE            accounts of that server, a line EMAIL:API_KEY for each
  --json                     the result as JSON

  page FILE.json ...         writes FILE.html, a page that needs nothing else, beside each result; with --compare what it
                             compares with

Other scenarios: plans, statements, subscribe, notifications, capacity, attacks, idle-queues, node-death, soak
  --followers N              long-polling queues (subscribe: default 100; idle-queues: 1000)
  --seconds N                at most so long (default 20)
  --audience N               subscribe: subscribers of the large stream (default 100000); notifications: of the stream (10000)
  --repeats N                notifications: rounds, of which the medians are printed (default 1)
  --people A,B               statements: sizes of organizations (default 70,2000,20000)
  --people N                 subscribe: people in one request (default 10000); capacity: with how many it begins (1000)
  --messages N               plans: messages to make (default 1000000); idle-queues: those left unfetched (100);
                             soak: those sent before, which fill a node's memory of the log (50000)
  --queues N                 idle-queues: without a poll (default 20000); node-death: of the node that is killed (5000)
  --deliveries N             idle-queues: a second (default 200)
  --survivors N              node-death: event nodes that are left (default 1)
  --minutes N                soak: how long (default 30)
  --clients N                soak: clients that open and abandon polls (default 300)
  --sample-seconds N         soak: between two samples (default 30)
  --json                     only the results, one JSON object a line

Imports from other systems (docs/import)
  export                     writes an archive: --source zulip, slack or mattermost, and --file FILE
  import                     imports an archive into an installation of its own: --source, and --file FILE that export wrote,
                             without which one is written; processor time, memory and wall time
  --people N                 in all channels (default 50); each has a row for each message where the source has rows
  --channels N               (default 20)
  --messages N               (default 1000000)
  --threads N                of two to eight messages (default a twentieth of the messages)
  --reactions N              (default a tenth of the messages)
  --seed N                   the same seed gives the same archive (default 1)
  --profile DIR              import: the command writes a CPU profile there
`;

const senderBound = 1_000;
const sendsBound = 1_000_000;
const secsBound = 600;
const roundsBound = 100;
const queuesBound = 40_000;
const followersBound = 9_000;
const processesBound = 8;
// The most events in the answer of one poll.
const backlogBound = 500;
const minutesBound = 120;
const clientsBound = 2_000;
const peopleOfOwnSystem = 20;

type Run = {
  readonly values: LoadOptions;
  readonly say: (text: string) => void;
  readonly report: (result: object) => void;
};
type Scenario = {
  /** The differences of the separate system from the usual one. */
  readonly ownSystem?: (values: LoadOptions) => OwnSystemOptions;
  readonly run: (system: LoadSystem, run: Run) => Promise<void>;
};

const scenarios: Readonly<Record<string, Scenario>> = {
  subscribe: {
    run: (system, { values, report }) =>
      measureSubscribing(
        system,
        {
          people: readCount(values.people ?? '10000', 'people', sendsBound),
          followers: readCount(values.followers ?? '100', 'followers', senderBound),
          largeStream: readCount(
            (values.audience ?? '100000').split(',').at(-1) ?? '',
            'audience',
            sendsBound,
          ),
        },
        (result) => report({ scenario: 'subscribe', ...result }),
      ),
  },
  notifications: {
    // The scenario starts the processes that notify.
    ownSystem: () => ({ events: 1, people: 0 }),
    run: async (system, { values, report }) => {
      const result = await measureNotifications(system, {
        audience: readCount(values.audience ?? '10000', 'audience', sendsBound),
        rounds: readCount(values.repeats, 'repeats', roundsBound),
      });
      report({ scenario: 'notifications', ...result });
    },
  },
  capacity: {
    run: async (system, { values, say, report }) => {
      const search = {
        from: readCount(values.people ?? '1000', 'people', queuesBound),
        most: queuesBound,
        secs: readAmount(values.seconds ?? '20', 'seconds', secsBound),
        warmUpSecs: readAmount(values['warm-up'], 'warm-up', secsBound),
        cores: cpus().length,
      };
      const steps = (step: object): void => report({ scenario: 'capacity', ...step });
      const { people, perCore } = await findCapacity(system, search, steps, say);
      report({ scenario: 'capacity', people, perCore });
    },
  },
  attacks: {
    ownSystem: () => ({
      events: 1,
      // Mails are written, and none leaves.
      environment: {
        PARLEY_SMTP_URL: 'smtp+plain://127.0.0.1:9',
        PARLEY_MAIL_FROM: 'parley@load.example',
      },
    }),
    run: (system, { values, report }) =>
      measureAttacks(system, values.only, (result) => report({ scenario: 'attacks', ...result })),
  },
  'idle-queues': {
    ownSystem: () => ({ events: 1, environment: inspectable }),
    run: async (system, { values, report }) => {
      const result = await measureIdleQueues(system, {
        queues: readCount(values.queues ?? '20000', 'queues', queuesBound),
        followers: readCount(values.followers ?? '1000', 'followers', followersBound),
        deliveriesPerSecond: readCount(values.deliveries, 'deliveries', sendsBound),
        durationSecs: readCount(values.seconds ?? '20', 'seconds', secsBound),
        backlog: readCount(values.messages ?? '100', 'messages', backlogBound),
      });
      report({ scenario: 'idle-queues', ...result });
    },
  },
  'node-death': {
    ownSystem: () => ({ events: 1 }),
    run: async (system, { values, report }) => {
      const result = await measureNodeDeath(system, {
        queues: readCount(values.queues ?? '5000', 'queues', followersBound),
        survivors: readCount(values.survivors, 'survivors', processesBound),
      });
      report({ scenario: 'node-death', ...result });
    },
  },
  soak: {
    ownSystem: () => ({ events: 2, environment: inspectable }),
    run: async (system, { values, report }) => {
      const result = await soak(
        system,
        {
          minutes: readAmount(values.minutes, 'minutes', minutesBound),
          clients: readCount(values.clients, 'clients', clientsBound),
          fill: readCount(values.messages ?? '50000', 'messages', sendsBound),
          sampleSecs: readCount(values['sample-seconds'], 'sample-seconds', secsBound),
        },
        (sample) => report({ scenario: 'soak', ...sample }),
      );
      report({ scenario: 'soak', ...result });
    },
  },
};

class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [name = 'send', ...surplus] = positionals;
  if (name === 'page' && surplus.length > 0 && !values.help) {
    await writePages(surplus, values.compare);
    return;
  }
  const measured = measuredScenarios.find((each) => each.name === name);
  const scenario = scenarios[name];
  const isOfImports = name === 'export' || name === 'import';
  const isKnown =
    measured !== undefined ||
    scenario !== undefined ||
    ['plans', 'statements'].includes(name) ||
    isOfImports;
  if (values.help || surplus.length > 0 || !isKnown) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const say = (text: string): void => {
    if (!values.json) process.stderr.write(`${text}\n`);
  };
  const report = (result: object): void => {
    process.stdout.write(
      `${values.json ? JSON.stringify(result) : JSON.stringify(result, undefined, 2)}\n`,
    );
  };
  say(`${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`);
  if (measured !== undefined) {
    await measure(measured, values, say);
    return;
  }
  if (isOfImports) {
    await Promise.race([runImports(name, values, say, report), interruption()]);
    return;
  }
  if (name === 'statements') {
    await Promise.race([runStatements(values, say, report), interruption()]);
    return;
  }
  if (scenario === undefined) {
    const messages = readHistoryLength(values);
    say(`Making ${messages} messages ...`);
    await explainPages(messages, (row) =>
      process.stdout.write(`${values.json ? JSON.stringify(row) : planLine(row)}\n`),
    );
    return;
  }
  say(values.target === undefined ? 'Starting a system ...' : `Using ${values.target}`);
  const system: LoadSystem =
    values.target === undefined
      ? await startOwnSystem(peopleOfOwnSystem, scenario.ownSystem?.(values))
      : await useSystem(values.target, values.accounts);
  try {
    await Promise.race([scenario.run(system, { values, say, report }), interruption()]);
  } finally {
    await system.stop();
  }
}

/** Writes an export, or imports one. */
async function runImports(
  name: 'export' | 'import',
  values: LoadOptions,
  say: (text: string) => void,
  report: (result: object) => void,
): Promise<void> {
  const size = readExportSize(values);
  const source = readExportSource(values);
  if (name === 'export') {
    if (values.file === undefined) throw new Error('--file FILE is missing: where to write');
    await writeExport(source, values.file, size);
    return;
  }
  const result = await measureImport(source, size, {
    file: values.file,
    profileFolder: values.profile,
    say,
  });
  report({ scenario: 'import', source, ...result });
}

/** Measures organizations of several sizes, and prints the table of statements at the end. */
async function runStatements(
  values: LoadOptions,
  say: (text: string) => void,
  report: (result: object) => void,
): Promise<void> {
  const results: StatementsResult[] = [];
  await measureStatements(
    {
      sizes: readCounts(values.people ?? '70,2000,20000', 'people', queuesBound),
      secs: readAmount(values.seconds ?? '20', 'seconds', secsBound),
    },
    (result) => {
      results.push(result);
      report({ scenario: 'statements', ...result });
    },
    say,
  );
  if (!values.json) process.stdout.write(`${describeStatements(results)}\n`);
}

async function measure(
  scenario: MeasuredScenario,
  options: LoadOptions,
  say: (text: string) => void,
): Promise<void> {
  say(options.target === undefined ? 'Starting a system ...' : `Using ${options.target}`);
  const system =
    options.target === undefined
      ? await startOwnSystem(peopleOfOwnSystem, findOwnSystem(scenario, options))
      : await useSystem(options.target, options.accounts);
  try {
    const result = await Promise.race([
      runMeasured(scenario, system, options, say),
      interruption(),
    ]);
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
  const before = await readResult(options.compare);
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : describeResult(result));
  if (before !== undefined && !options.json)
    process.stdout.write(describeComparison(compareResults(before, result)));
  if (options.report === undefined) return;
  await mkdir(options.report, { recursive: true });
  const file = join(options.report, `${result.scenario}.json`);
  await writeFile(file, `${JSON.stringify(result, undefined, 1)}\n`);
  say(`Written: ${file}`);
}

function readResult(file: string): Promise<ScenarioResult>;
function readResult(file: string | undefined): Promise<ScenarioResult | undefined>;
async function readResult(file: string | undefined): Promise<ScenarioResult | undefined> {
  if (file === undefined) return undefined;
  return JSON.parse(await readFile(file, 'utf8')) as ScenarioResult;
}

/** Writes a page beside each result. */
async function writePages(files: readonly string[], compared?: string): Promise<void> {
  const before = await readResult(compared);
  for (const file of files) {
    if (!file.endsWith('.json')) throw new Error(`${file} is no result: its name ends with .json`);
    const page = file.replace(/json$/, 'html');
    await writeFile(page, renderReport(await readResult(file), before));
    process.stdout.write(`${page}\n`);
  }
}

/** Aborts when the user interrupts the run, so that everything that was started is stopped first. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Interrupted(signal)));
  });
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Interrupted)) throw error;
  process.stderr.write(`${error.message}\n`);
  // The clients of the run would otherwise continue for a while without a system.
  process.exit(130);
}
