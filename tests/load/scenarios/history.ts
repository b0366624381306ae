/** Pages and searches in a history of a million messages, in a separate system on the same stores. */
import { connectMaker } from '@parley/demo';
import { setApiKeys } from '@parley/store';
import { openTestPool } from '@parley/test-kit';

import type { FleetAccount } from '../fleet/protocol.ts';
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import { startClusterOn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { Requesters } from '../requesters.ts';
import { ask, pathOfPage, writeGet } from '../requests.ts';
import type { Narrow } from '../requests.ts';
import { findParts } from '../rig.ts';
import type { Rig } from '../rig.ts';
import { checkLogs } from '../run-measured.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';
import {
  guestStream,
  historyPeople,
  historyStreams,
  historyWords,
  makeHistory,
} from './history-data.ts';

// Fewer are too few for the shape of the history, and more exceed its positions.
const historyMessagesLeast = 10_000;
const historyMessagesUsual = '1000000';
const historyMessagesBound = 1_500_000;
const pageLength = 100;
/** Connections of concurrent clients, so that no process cools down between two requests. */
const busyConnections = 8;
// The number of messages with the rare word.
const rareMessages = 20;

/** Members of all streams, who have read everything, nothing, all but one message, or most messages. */
const readers = [
  historyPeople.memberRead,
  historyPeople.memberUnread,
  historyPeople.memberOneUnread,
  historyPeople.memberSomeUnread,
];

/** Pages, narrows and searches of a long history. */
export const historyScenario: MeasuredScenario = {
  name: 'history',
  summary: 'pages, narrows and searches of a million messages',
  secs: 10,
  groups: (system, options) => [
    {
      name: `a history of ${readHistoryLength(options)} messages`,
      open: (rig) => openLongHistory(system, options, rig),
    },
  ],
};

/** The readers' narrows of one or two terms; a page is shorter if the reader lacks some of the messages. */
const narrows: readonly (readonly [name: string, narrow: Narrow])[] = [
  ['everything', []],
  ['a topic of a stream', [term('stream', `stream ${guestStream}`), term('topic', 'topic 3')]],
  ['a topic in all streams', [term('topic', 'topic 3')]],
  ['a sender of a hundredth', [sender(historyPeople.someSender)]],
  ['a sender of one in 2,000', [sender(historyPeople.rareSender)]],
  [
    'a sender in a stream',
    [term('stream', `stream ${guestStream}`), sender(historyPeople.someSender)],
  ],
  ['private messages', [term('is', 'private')]],
  ['what is starred', [term('is', 'starred')]],
  ['what mentions the reader', [term('is', 'mentioned')]],
  ['what is unread', [term('is', 'unread')]],
  ['what has a link', [term('has', 'link')]],
];

function term(operator: string, operand: string): Narrow[number] {
  return { operator, operand };
}

function sender(id: number): Narrow[number] {
  return term('sender', `u${id}@example.com`);
}

/** @throws Error for a number of messages that the history does not support */
export function readHistoryLength(options: LoadOptions): number {
  const text = options.messages ?? historyMessagesUsual;
  const messages = readCount(text, 'messages', historyMessagesBound);
  if (messages < historyMessagesLeast)
    throw new Error(`--messages is at least ${historyMessagesLeast}`);
  return messages;
}

async function openLongHistory(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { stores } = system;
  const messages = readHistoryLength(options);
  rig.say(`Making ${messages} messages ...`);
  const cluster = await startClusterOn(stores, { events: 1, logsToFiles: true }, (databaseUrl) =>
    fill(databaseUrl, messages),
  );
  rig.defer(() => cluster.stop());
  const accounts = await giveKeys(cluster.settings);
  const beside = { ...system, cluster };
  const here = rig.forParts(findParts(beside));
  const requesters = new Requesters(rig);
  const url = cluster.url;
  const measure = (paths: readonly string[], connections = 1): Case['run'] => {
    const requests = paths.map((path, n) => writeGet(url, path, accounts[n % accounts.length]));
    return async () => {
      here.isFirst = rig.isFirst;
      const expected = '"result":"success"';
      const shot = await requesters.measure({ url, requests, expected, connections }, here);
      await checkLogs(beside);
      return shot;
    };
  };
  // The smallest page is that of the stream with the fewest messages, and even smaller in a small history.
  const streams = Array.from({ length: historyStreams }, (_, n) =>
    page([term('stream', `stream ${n + 1}`)]),
  );
  const searches = Object.entries(historyWords).map(
    ([kind, word]) => [kind, page([term('search', word)])] as const,
  );
  const [account] = accounts;
  if (account === undefined) throw new Error('nobody reads');
  const least = { stream: messages >= 100_000 ? pageLength : 1, rare: 1 };
  await expectMessages(url, account, streams, least.stream);
  for (const [kind, path] of searches)
    await expectMessages(url, account, [path], kind === 'rare' ? least.rare : pageLength);
  const paths = narrows.map(([name, narrow]) => [name, page(narrow)] as const);
  await expectMessages(
    url,
    account,
    paths.map(([, path]) => path),
    0,
  );
  return [
    { name: `${pageLength} newest of a stream`, run: measure(streams) },
    {
      name: `${pageLength} newest of a stream, ${busyConnections} in flight`,
      run: measure(streams, busyConnections),
    },
    ...paths.map(([name, path]): Case => ({
      name: `narrow: ${name}`,
      run: measure(readers.map(() => path)),
    })),
    ...searches.map(([kind, path]): Case => ({
      name: `search for a word that is ${kind}`,
      run: measure(readers.map(() => path)),
    })),
  ];
}

const page = (narrow: Narrow): string => pathOfPage(narrow, pageLength);

async function fill(databaseUrl: string, messages: number): Promise<void> {
  const pool = openTestPool(databaseUrl, 1, { statementTimeoutMs: 0 });
  try {
    await makeHistory(pool, messages, { isSearchable: true });
  } finally {
    await pool.end();
  }
}

/** The people of the history have no keys. */
async function giveKeys(
  settings: Parameters<typeof connectMaker>[0],
): Promise<readonly FleetAccount[]> {
  await using connected = connectMaker(settings);
  const { pool, keySecrets } = connected.maker;
  const keys = await setApiKeys(
    pool,
    keySecrets,
    readers.map((userId) => ({ userId })),
  );
  return readers.map((userId) => ({
    email: `u${userId}@example.com`,
    apiKey: keys.get(userId) ?? '',
  }));
}

/** @throws Error if a page has too few or too many messages, or does not have them in the order of their ids */
async function expectMessages(
  url: string,
  account: FleetAccount,
  paths: readonly string[],
  least: number,
): Promise<void> {
  for (const path of paths) {
    const body = await ask(url, writeGet(url, path, account));
    const { messages } = JSON.parse(body) as { readonly messages: readonly { id: number }[] };
    const most = path.includes(historyWords.rare) ? rareMessages : pageLength;
    const isOrdered = messages.every(({ id }, n) => n === 0 || id > (messages[n - 1]?.id ?? 0));
    if (messages.length < least || messages.length > most || !isOrdered)
      throw new Error(`${path}: ${messages.length} messages, where ${least} to ${most} are`);
  }
}
