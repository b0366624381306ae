import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { startOwnSystem, useSystem } from './load-system.ts';
import type { LoadSystem } from './load-system.ts';
import { measureAudience } from './scenarios/audience.ts';
import { historyLine, measureHistory } from './scenarios/history.ts';
import { reportPresence } from './scenarios/presence.ts';
import { sendAndFollow } from './scenarios/send-and-follow.ts';
import { measureSubscribing } from './scenarios/subscribe.ts';

const usage = `npm run load -- [SCENARIO] [options]
  SCENARIO                   send (default), audience, history, subscribe or presence
  --url URL                  a running system (default: one is started, with rate limits off)
  --account EMAIL:API_KEY    an account of that system; may be repeated
  --senders N                closed-loop senders (default 8)
  --followers N              long-polling queues (default 20; subscribe: 100)
  --sends N                  at most so many sends (default 5000; audience: 200)
  --seconds N                at most so long (default 20)
  --audience A,B             numbers of subscribers (default 10,100000; subscribe: the last one)
  --people N                 subscribe: people in one request (default 10000); presence: of the organization (2000)
  --messages N               history: messages to make (default 1000000)
  --json                     only the results, one JSON object a line
`;

const scenarios = new Set(['send', 'audience', 'history', 'subscribe', 'presence']);
const peopleOfOwnSystem = 20;
const senderBound = 1_000;
const sendsBound = 1_000_000;
const secsBound = 600;
// Fewer do not fill the shape of the history, more do not fit its positions.
const historyMessagesLeast = 10_000;
const historyMessagesBound = 1_500_000;

function readCount(text: string, name: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`--${name} is an integer from 1 to ${most}`);
  return value;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      account: { type: 'string', multiple: true, default: [] },
      senders: { type: 'string', default: '8' },
      followers: { type: 'string' },
      sends: { type: 'string' },
      seconds: { type: 'string', default: '20' },
      audience: { type: 'string', default: '10,100000' },
      people: { type: 'string' },
      messages: { type: 'string', default: '1000000' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [scenario = 'send', ...surplus] = positionals;
  if (values.help || surplus.length > 0 || !scenarios.has(scenario)) {
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
  if (scenario === 'history') {
    const messages = readCount(values.messages, 'messages', historyMessagesBound);
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
      ? await startOwnSystem(peopleOfOwnSystem)
      : await useSystem(values.url, values.account);
  try {
    if (scenario === 'send') {
      const result = await sendAndFollow(system, {
        senders: readCount(values.senders, 'senders', senderBound),
        followers: readCount(values.followers ?? '20', 'followers', senderBound),
        sendsMax: readCount(values.sends ?? '5000', 'sends', sendsBound),
        durationMaxSecs: readCount(values.seconds, 'seconds', secsBound),
      });
      report({ scenario: 'send', ...result });
      return;
    }
    if (scenario === 'presence') {
      const result = await reportPresence(system, {
        people: readCount(values.people ?? '2000', 'people', sendsBound),
        reporters: readCount(values.senders, 'senders', senderBound),
        durationMaxSecs: readCount(values.seconds, 'seconds', secsBound),
      });
      report({ scenario: 'presence', ...result });
      return;
    }
    if (scenario === 'subscribe') {
      await measureSubscribing(
        system,
        {
          people: readCount(values.people ?? '10000', 'people', sendsBound),
          followers: readCount(values.followers ?? '100', 'followers', senderBound),
          largeStream: readCount(values.audience.split(',').at(-1) ?? '', 'audience', sendsBound),
        },
        (result) => report({ scenario: 'subscribe', ...result }),
      );
      return;
    }
    for (const text of values.audience.split(',')) {
      const subscribers = readCount(text, 'audience', sendsBound);
      say(`Sending to ${subscribers} subscribers ...`);
      const sends = readCount(values.sends ?? '200', 'sends', sendsBound);
      report({ scenario: 'audience', ...(await measureAudience(system, subscribers, sends)) });
    }
  } finally {
    await system.stop();
  }
}

await main();
