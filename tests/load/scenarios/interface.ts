import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { HistoryCheck } from '../history-check.ts';
import type { LoadSystem } from '../load-system.ts';
import { Requesters } from '../requesters.ts';
import { writeGet, writePost } from '../requests.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario, Shot } from '../scenario.ts';
import { Senders } from '../senders.ts';

const pageLength = 100;
const sendsBound = 1_000_000;
const followers = 100;
const followedSendsPerSecond = 5;
// More than are ever pending while the server keeps up.
const connectionsOfRate = 16;
const requestsAtOnce = 8;
const farAwayMs = Number.MAX_SAFE_INTEGER;

/**
 * The most frequent requests of clients, in forms that every server of this interface accepts. One generator can compare servers
 * with it, because it needs only accounts.
 */
export const interfaceScenario: MeasuredScenario = {
  name: 'interface',
  summary: 'sends, pages, registers and followers of any server of this interface (--target)',
  secs: 10,
  groups: (system) => [
    { name: 'interface', open: (rig) => openInterface(system, rig) },
    { name: `${followers} followers`, open: (rig) => openFollowing(system, rig) },
  ],
};

type Talk = {
  readonly system: LoadSystem;
  readonly rig: Rig;
  readonly senders: Senders;
  readonly history: HistoryCheck;
};

function openTalk(system: LoadSystem, rig: Rig): Talk {
  const [reader] = system.accounts;
  if (reader === undefined) throw new Error('there are no accounts');
  const senders = rig.addGenerators(new Senders(1));
  const history = new HistoryCheck(urlOf(system), reader, system.stream);
  rig.defer(() => history[Symbol.dispose]());
  return { system, rig, senders, history };
}

function urlOf(system: LoadSystem): string {
  const [url] = system.urls;
  if (url === undefined) throw new Error('there is no address');
  return url;
}

async function openInterface(system: LoadSystem, rig: Rig): Promise<readonly Case[]> {
  const talk = openTalk(system, rig);
  const requesters = rig.addGenerators(new Requesters());
  await talk.history.skip();
  await fillPage(talk);
  const url = urlOf(system);
  const narrow = encodeURIComponent(
    JSON.stringify([{ operator: 'stream', operand: system.stream }]),
  );
  const path = `/api/v1/messages?anchor=newest&num_before=${pageLength}&num_after=0&narrow=${narrow}`;
  const pages = system.accounts.map((account) => writeGet(url, path, account));
  const registers = system.accounts.map((account) => writePost(url, '/api/v1/register', account));
  const ask = (
    name: string,
    requests: readonly string[],
    expected: string,
    connections: number,
  ) => ({
    name,
    run: () => requesters.measure(rig, { url, requests, expected, connections }),
  });
  return [
    { name: 'sends one after another', run: () => send(talk, 1) },
    { name: 'sends, 64 in flight', run: () => send(talk, 64) },
    ask(`page of ${pageLength}`, pages, '"found_newest":true', 1),
    ask(`page of ${pageLength}, 8 in flight`, pages, '"found_newest":true', 8),
    ask('register', registers, '"queue_id":"', 1),
  ];
}

/** Sends as many messages as a page holds, so that the first page is full. */
async function fillPage({ system, senders, history }: Talk): Promise<void> {
  const { sent } = await senders.send({
    ...planOf(system),
    connections: 1,
    endAtMs: farAwayMs,
    sendsMax: pageLength,
    window: { fromMs: nowMs(), toMs: farAwayMs },
  });
  await history.expect(sent);
}

async function send({ system, rig, senders, history }: Talk, connections: number): Promise<Shot> {
  const window = rig.planWindow();
  const sending = senders.send({
    ...planOf(system),
    connections,
    endAtMs: window.toMs,
    window,
  });
  const [sends, measured] = await Promise.all([sending, rig.measureSends(window)]);
  await history.expect(sends.sent);
  return {
    operation: 'send',
    operations: sends.sentInWindow,
    measured,
    figures: { sends_per_s: sends.sentInWindow / rig.secs },
    latencies: { send: sends.latencies },
  };
}

async function openFollowing(system: LoadSystem, rig: Rig): Promise<readonly Case[]> {
  const talk = openTalk(system, rig);
  await talk.history.skip();
  const accounts = Array.from(
    { length: followers },
    (_, n) => system.accounts[n % system.accounts.length] ?? { email: '', apiKey: '' },
  );
  const { fleet } = await Fleet.register(system.urls, accounts, requestsAtOnce);
  rig.addGenerators(fleet);
  await fleet.hold(followers, requestsAtOnce);
  return [
    {
      name: `${followedSendsPerSecond} messages a second`,
      run: () => follow(talk, fleet),
    },
  ];
}

async function follow({ system, rig, senders, history }: Talk, fleet: Fleet): Promise<Shot> {
  const window = rig.planWindow();
  await fleet.startTally(senders.nextMessage, sendsBound + 1, window);
  const sending = senders.send({
    ...planOf(system),
    connections: connectionsOfRate,
    ratePerSecond: followedSendsPerSecond,
    window,
  });
  const [sends, measured] = await Promise.all([sending, rig.measureWindow(window)]);
  await fleet.waitForReceived(sends.sent * fleet.followerCount);
  await history.expect(sends.sent);
  const tally = await fleet.readTally();
  return {
    operation: 'delivery',
    operations: tally.receivedInWindow,
    measured,
    figures: { late_p99_ms: sends.lateness.at(99) },
    latencies: { send: sends.latencies, send_to_receive: tally.latencies },
  };
}

function planOf({ urls, accounts, stream: streamName }: LoadSystem) {
  return {
    urls,
    accounts,
    destinations: [{ streamName, topic: 'load' }],
    sendsMax: sendsBound,
  };
}
