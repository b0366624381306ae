/** The cost of a starting client: its state, and marking all unread messages as read. */
import { makeBacklog } from '../backlog.ts';
import { HttpConnection } from '../fleet/http-connection.ts';
import type { FleetAccount } from '../fleet/protocol.ts';
import { nowMs } from '../fleet/protocol.ts';
import { Latencies } from '../latencies.ts';
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts, makeAudience } from '../make-people.ts';
import { Requesters } from '../requesters.ts';
import { ask, writeGet, writePost } from '../requests.ts';
import type { Rig } from '../rig.ts';
import { repeatsBound } from '../run-measured.ts';
import type { Case, Shot } from '../scenario.ts';
import { inBothForms } from './reads-answers.ts';

const peopleUsual = '1000';
const peopleBound = 10_000;
const streamsOfRegister = 200;
const registering = 20;
const unreadUsual = '100000';
const unreadBound = 1_000_000;
// The state of a user who returns after some weeks.
const unreadOfRegister = 45_000;
const unreadStreams = 40;
const topicsPerStream = 5;
const marksPerRun = 10;
// The first marks of a run are its warm-up.
const warmUpMarks = 5;

/** Registers with everything that a client fetches by default. */
export async function openRegistering(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = system;
  const people = readCount(options.people ?? peopleUsual, 'people', peopleBound);
  rig.say(`Making ${people} people in ${streamsOfRegister} streams ...`);
  const made = await makeAccounts(organization, people, 'to register');
  const ids = made.map(({ user }) => user.id);
  const streams = await organization.maker.makeStreams(
    Array.from({ length: streamsOfRegister }, (_, n) => ({ name: `registered ${n}` })),
  );
  const first = ids.slice(0, registering);
  for (const [n, { id }] of streams.entries()) {
    // The people who register are in all streams, the others in one of twenty.
    const others = ids.filter((userId) => userId % 20 === n % 20);
    await organization.maker.subscribe(id, [...first, ...others]);
  }
  const url = system.urls[0] ?? '';
  const accounts = credentialsOf(made).slice(0, registering);
  const requests = accounts.map((account) => writePost(url, '/api/v1/register', account));
  const requesters = new Requesters(rig);
  const [account] = accounts;
  if (account === undefined) throw new Error('nobody registers');
  await expectState(url, account, { people, streams: streams.length });
  return inBothForms(`${people} people, ${streamsOfRegister} streams`, requests).map((each) =>
    requesters.caseOf(each.name, {
      url,
      requests: each.requests,
      expected: '"queue_id":"',
      connections: 1,
    }),
  );
}

/** The people of the system itself, beside those that a group makes. */
const furtherPeopleMax = 100;

/** @throws Error if register does not return as many people and subscriptions as its figures are for */
async function expectState(
  url: string,
  account: FleetAccount,
  made: { readonly people: number; readonly streams: number },
): Promise<void> {
  const body = await ask(url, writePost(url, '/api/v1/register', account));
  const state = JSON.parse(body) as {
    readonly realm_users: readonly unknown[];
    readonly subscriptions: readonly unknown[];
  };
  const { realm_users: people, subscriptions } = state;
  const further = people.length - made.people;
  if (further < 0 || further > furtherPeopleMax || subscriptions.length < made.streams)
    throw new Error(`${people.length} people and ${subscriptions.length} subscriptions came`);
}

/** All messages of many topics are unread for the people who register. */
export async function openRegisteringUnread(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = system;
  const unread = readCount(options.messages ?? unreadUsual, 'messages', unreadBound);
  const count = Math.min(unread, unreadOfRegister);
  rig.say(`Making ${count} unread messages in ${unreadStreams} streams ...`);
  const senders = await makeAccounts(organization, registering, 'of the topics');
  const readers = await makeAccounts(organization, registering, 'who left them');
  const streams = await organization.maker.makeStreams(
    Array.from({ length: unreadStreams }, (_, n) => ({ name: `left unread ${n}` })),
  );
  const ids = [...senders, ...readers].map(({ user }) => user.id);
  for (const { id } of streams) await organization.maker.subscribe(id, ids);
  const destinations = streams.flatMap(({ name }, stream) =>
    Array.from({ length: topicsPerStream }, (_, topic) => ({
      senderId: senders[(stream + topic) % senders.length]?.user.id ?? 0,
      streamName: name,
      topic: `topic ${topic}`,
    })),
  );
  await makeBacklog(organization, destinations, count);
  const url = system.urls[0] ?? '';
  const accounts = credentialsOf(readers);
  const requests = accounts.map((account) => writePost(url, '/api/v1/register', account));
  const { unread_msgs: state } = JSON.parse(await ask(url, requests[0] ?? '')) as {
    readonly unread_msgs: { readonly count: number };
  };
  if (state.count < count) throw new Error(`only ${state.count} of ${count} messages are unread`);
  const requesters = new Requesters(rig);
  return [1, 8].map((connections) =>
    requesters.caseOf(`${count} unread, ${connections} in flight`, {
      url,
      requests,
      expected: '"unread_msgs":{',
      connections,
    }),
  );
}

/** Everything is unread for each person, who marks it as read once. */
export async function openMarking(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = system;
  const unread = readCount(options.messages ?? unreadUsual, 'messages', unreadBound);
  const count = Math.min(unread, Number(unreadUsual));
  const repeats = readCount(options.repeats, 'repeats', repeatsBound);
  rig.say(`Making ${count} unread messages ...`);
  const marksOfAll = repeats * (marksPerRun + warmUpMarks);
  const { sender, streamName, listeners } = await makeAudience(organization, 'unread', marksOfAll);
  await makeBacklog(organization, [{ senderId: sender.id, streamName, topic: 'unread' }], count);
  const url = system.urls[0] ?? '';
  const left = [...listeners];
  return [
    {
      name: `${count} unread`,
      run: async (): Promise<Shot> => {
        const marking = left.splice(0, marksPerRun + warmUpMarks);
        const measuredOnes = marking.slice(warmUpMarks);
        for (const account of measuredOnes) await expectUnread(url, account, true);
        const connection = new HttpConnection(url);
        const latencies = new Latencies();
        const mark = async (account: FleetAccount): Promise<number> => {
          const request = writePost(url, '/api/v1/mark_all_as_read', account);
          const leftAtMs = nowMs();
          const { status, body } = await connection.request(request);
          if (status !== 200) throw new Error(`mark_all_as_read: ${status} ${body.slice(0, 300)}`);
          return nowMs() - leftAtMs;
        };
        for (const account of marking.slice(0, warmUpMarks)) await mark(account);
        const measured = await rig.measureAround(async () => {
          for (const account of measuredOnes) latencies.record(await mark(account));
        });
        connection.abort();
        for (const account of measuredOnes) await expectUnread(url, account, false);
        return {
          operation: 'mark',
          operations: measuredOnes.length,
          measured,
          figures: {},
          latencies: { mark: latencies },
        };
      },
    },
  ];
}

/** @throws Error if the people have unread messages, or none, contrary to what is expected */
async function expectUnread(
  url: string,
  account: FleetAccount,
  isExpected: boolean,
): Promise<void> {
  const narrow = encodeURIComponent(JSON.stringify([{ operator: 'is', operand: 'unread' }]));
  const path = `/api/v1/messages?anchor=oldest&num_before=0&num_after=5&narrow=${narrow}`;
  const { messages } = JSON.parse(await ask(url, writeGet(url, path, account))) as {
    readonly messages: readonly unknown[];
  };
  if (messages.length > 0 !== isExpected)
    throw new Error(`${messages.length} messages are unread of ${account.email}`);
}
