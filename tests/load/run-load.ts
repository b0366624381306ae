import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { startOwnSystem, useSystem } from './load-system.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import { inspectable } from './process-gauge.ts';
import { measureAudience } from './scenarios/audience.ts';
import { historyLine, measureHistory } from './scenarios/history.ts';
import { measureIdlePolls } from './scenarios/idle-polls.ts';
import { measureIdleQueues } from './scenarios/idle-queues.ts';
import { measureNodeDeath } from './scenarios/node-death.ts';
import { reportPresence } from './scenarios/presence.ts';
import { sendAndFollow } from './scenarios/send-and-follow.ts';
import { soak } from './scenarios/soak.ts';
import { measureSubscribing } from './scenarios/subscribe.ts';

const usage = `npm run load -- [SCENARIO] [options]
  SCENARIO                   send (default), audience, history, subscribe, presence, idle-queues, idle, node-death or soak
  --url URL                  a running system (default: one is started, with rate limits off)
  --account EMAIL:API_KEY    an account of that system; may be repeated
  --senders N                closed-loop senders (default 8)
  --followers N              long-polling queues (default 20; subscribe: 100; idle-queues: 1000)
  --sends N                  at most so many sends (default 5000; audience: 200)
  --seconds N                at most so long (default 20; idle: 60 at each level)
  --audience A,B             numbers of subscribers (default 10,100000; subscribe: the last one)
  --people N                 subscribe: people in one request (default 10000); presence: of the organization (2000)
  --messages N               history: messages to make (default 1000000); idle-queues: those left unfetched (100);
                             soak: those sent before, which fill a node's memory of the log (50000)
  --queues N                 idle-queues: without a poll (default 20000); node-death: of the node that is killed (5000)
  --deliveries N             idle-queues: a second (default 200)
  --polls A,B                idle: levels of held polls (default 1000,9000)
  --gateways N               idle: gateways (default 1)
  --survivors N              node-death: event nodes that are left (default 1)
  --minutes N                soak: how long (default 30)
  --clients N                soak: clients that open and abandon polls (default 300)
  --sample-seconds N         soak: between two samples (default 30)
  --json                     only the results, one JSON object a line
`;

const senderBound = 1_000;
const sendsBound = 1_000_000;
const secsBound = 600;
const queuesBound = 40_000;
const followersBound = 9_000;
const heldPollsBound = 18_000;
const processesBound = 8;
// What a single poll answers.
const backlogBound = 500;
const minutesBound = 120;
const clientsBound = 2_000;
const peopleOfOwnSystem = 20;
// Fewer do not fill the shape of the history, more do not fit its positions.
const historyMessagesLeast = 10_000;
const historyMessagesBound = 1_500_000;

type Values = ReturnType<typeof readArguments>['values'];
type Run = {
  readonly values: Values;
  readonly say: (text: string) => void;
  readonly report: (result: object) => void;
};
type Scenario = {
  /** What a system of its own has more or less of than usual. */
  readonly ownSystem?: (values: Values) => OwnSystemOptions;
  readonly run: (system: LoadSystem, run: Run) => Promise<void>;
};

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      account: { type: 'string', multiple: true, default: [] },
      senders: { type: 'string', default: '8' },
      followers: { type: 'string' },
      sends: { type: 'string' },
      seconds: { type: 'string' },
      audience: { type: 'string', default: '10,100000' },
      people: { type: 'string' },
      messages: { type: 'string' },
      queues: { type: 'string' },
      deliveries: { type: 'string', default: '200' },
      polls: { type: 'string', default: '1000,9000' },
      gateways: { type: 'string', default: '1' },
      survivors: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '30' },
      clients: { type: 'string', default: '300' },
      'sample-seconds': { type: 'string', default: '30' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

function readCount(text: string, name: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`--${name} is an integer from 1 to ${most}`);
  return value;
}

/** A time that may be a part of a minute, so that a run can be tried for seconds. */
function readMinutes(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= minutesBound))
    throw new Error(`--minutes is above 0 and at most ${minutesBound}`);
  return value;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  send: {
    run: async (system, { values, report }) => {
      const result = await sendAndFollow(system, {
        senders: readCount(values.senders, 'senders', senderBound),
        followers: readCount(values.followers ?? '20', 'followers', senderBound),
        sendsMax: readCount(values.sends ?? '5000', 'sends', sendsBound),
        durationMaxSecs: readCount(values.seconds ?? '20', 'seconds', secsBound),
      });
      report({ scenario: 'send', ...result });
    },
  },
  audience: {
    run: async (system, { values, say, report }) => {
      for (const text of values.audience.split(',')) {
        const subscribers = readCount(text, 'audience', sendsBound);
        say(`Sending to ${subscribers} subscribers ...`);
        const sends = readCount(values.sends ?? '200', 'sends', sendsBound);
        report({ scenario: 'audience', ...(await measureAudience(system, subscribers, sends)) });
      }
    },
  },
  subscribe: {
    run: (system, { values, report }) =>
      measureSubscribing(
        system,
        {
          people: readCount(values.people ?? '10000', 'people', sendsBound),
          followers: readCount(values.followers ?? '100', 'followers', senderBound),
          largeStream: readCount(values.audience.split(',').at(-1) ?? '', 'audience', sendsBound),
        },
        (result) => report({ scenario: 'subscribe', ...result }),
      ),
  },
  presence: {
    run: async (system, { values, report }) => {
      const result = await reportPresence(system, {
        people: readCount(values.people ?? '2000', 'people', sendsBound),
        reporters: readCount(values.senders, 'senders', senderBound),
        durationMaxSecs: readCount(values.seconds ?? '20', 'seconds', secsBound),
      });
      report({ scenario: 'presence', ...result });
    },
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
  idle: {
    ownSystem: (values) => ({
      events: 1,
      gateways: readCount(values.gateways, 'gateways', processesBound),
      environment: inspectable,
    }),
    run: async (system, { values, report }) => {
      await measureIdlePolls(
        system,
        {
          levels: values.polls.split(',').map((text) => readCount(text, 'polls', heldPollsBound)),
          idleSecs: readCount(values.seconds ?? '60', 'seconds', secsBound),
        },
        (result) => report({ scenario: 'idle', ...result }),
      );
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
          minutes: readMinutes(values.minutes),
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
  const scenario = scenarios[name];
  if (values.help || surplus.length > 0 || (scenario === undefined && name !== 'history')) {
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
  if (scenario === undefined) {
    const messages = readCount(values.messages ?? '1000000', 'messages', historyMessagesBound);
    if (messages < historyMessagesLeast)
      throw new Error(`--messages is at least ${historyMessagesLeast}`);
    say(`Making ${messages} messages ...`);
    await measureHistory(messages, (row) =>
      process.stdout.write(`${values.json ? JSON.stringify(row) : historyLine(row)}\n`),
    );
    return;
  }
  say(values.url === undefined ? 'Starting a system ...' : `Using ${values.url}`);
  const system: LoadSystem =
    values.url === undefined
      ? await startOwnSystem(peopleOfOwnSystem, scenario.ownSystem?.(values))
      : await useSystem(values.url, values.account);
  try {
    await Promise.race([scenario.run(system, { values, say, report }), interruption()]);
  } finally {
    await system.stop();
  }
}

/** Breaks off when somebody stops the run, so that what was started is stopped first. */
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
  // The clients of the run would go on for a while without a system.
  process.exit(130);
}
