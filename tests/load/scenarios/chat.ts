import { setTimeout as pause } from 'node:timers/promises';

import { openNchan } from '../controls/nchan.ts';
import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { HistoryCheck } from '../history-check.ts';
import { readAmount, readFollowings } from '../load-options.ts';
import type { Following, LoadOptions } from '../load-options.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts } from '../make-people.ts';
import { joinMeasured } from '../rig.ts';
import type { Measured, Rig } from '../rig.ts';
import type { Case, Group, MeasuredScenario, Shot } from '../scenario.ts';
import { Senders } from '../senders.ts';
import { findMedian } from '../summary.ts';

const followersBound = 9_000;
const ratesBound = 1_000;
const sendsBound = 100_000;
const requestsAtOnce = 32;
// More than are ever pending while the system keeps up.
const connectionsMax = 64;
// From this many followers on, the next message is sent only when everybody has the previous one and polls again.
const oneAtATimeFrom = 5_000;
// Within this time every follower's next poll has reached the node.
const settleMs = 300;
const warmUpRounds = 3;
const roundsMin = 3;
const roundsPerSec = 0.5;
const farAwayMs = Number.MAX_SAFE_INTEGER;

/** Sends per second by default. */
const usualRates = {
  polls: { 1_000: [5, 100] },
  streams: { 1_000: [20, 100] },
} satisfies Record<Following['of'], Readonly<Record<number, readonly number[]>>>;
const aFewPerSecond = [5];

/** One sender and followers on long polls or streams: messages are sent on time, whether or not earlier ones have arrived. */
export const chatScenario: MeasuredScenario = {
  name: 'chat',
  summary: 'a send to 10, 100, 1,000 and 9,000 followers on long poll, and to 1,000 on streams',
  secs: 20,
  groups: (system, options) =>
    readFollowings(
      { polls: options.followers, streams: options.streams },
      { polls: '10,100,1000,9000', streams: '1000' },
      'followers',
      followersBound,
    ).map((following): Group => ({
      name: `${following.count} ${following.of === 'polls' ? 'followers' : 'streams'}`,
      open: (rig) => openChat(system, options, rig, following),
    })),
};

async function openChat(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
  { of, count: followers }: Following,
): Promise<readonly Case[]> {
  const { organization, stores } = getOwn(system, 'chat');
  const label = `of ${followers} ${of}`;
  const sender = await organization.makeAccount(`Sender ${label}`);
  const people = await makeAccounts(organization, followers, label);
  const stream = await organization.makeStream(`chat ${label}`, [sender]);
  await organization.maker.subscribe(
    stream.id,
    people.map(({ user }) => user.id),
  );
  const account = { email: sender.email, apiKey: sender.apiKey };
  const history = new HistoryCheck(system.urls[0] ?? '', account, stream.name);
  rig.defer(() => history[Symbol.dispose]());
  const senders = rig.addGenerators(new Senders(1));
  const { fleet } = await Fleet.register(system.urls, credentialsOf(people), requestsAtOnce, of);
  rig.addGenerators(fleet);
  await fleet.hold(followers, requestsAtOnce);
  const chat: Chat = { rig, system, fleet, senders, history, account, streamName: stream.name };
  if (options.rate === undefined && followers >= oneAtATimeFrom)
    return [
      { name: 'one message at a time', run: () => sendOneAtATime(chat) },
      ...(options.controls && of === 'polls'
        ? await openNchan(rig, stores.folder, followers, countRounds(rig))
        : []),
    ];
  const usual: Readonly<Record<number, readonly number[]>> = usualRates[of];
  const rates =
    options.rate === undefined
      ? (usual[followers] ?? aFewPerSecond)
      : options.rate.split(',').map((text) => readAmount(text, 'rate', ratesBound));
  return rates.map((rate) => ({
    name: `${rate} messages a second`,
    run: () => sendAtRate(chat, rate),
  }));
}

type Chat = {
  readonly rig: Rig;
  readonly system: LoadSystem;
  readonly fleet: Fleet;
  readonly senders: Senders;
  readonly history: HistoryCheck;
  readonly account: { readonly email: string; readonly apiKey: string };
  readonly streamName: string;
};

async function sendAtRate(chat: Chat, ratePerSecond: number): Promise<Shot> {
  const { rig, fleet, senders } = chat;
  const window = rig.planWindow();
  await fleet.startTally(senders.nextMessage, sendsBound + 1, window);
  const sending = senders.send({
    ...planOf(chat),
    connections: connectionsMax,
    ratePerSecond,
    window,
  });
  const [sends, measured] = await Promise.all([sending, rig.measureWindow(window)]);
  await fleet.waitForReceived(sends.sent * fleet.followerCount);
  await chat.history.expect(sends.sent);
  const tally = await fleet.readTally();
  return {
    operation: 'delivery',
    operations: tally.receivedInWindow,
    measured,
    figures: {
      sends_per_s: sends.sentInWindow / rig.secs,
      deliveries_per_s: tally.receivedInWindow / rig.secs,
      late_p99_ms: sends.lateness.at(99),
    },
    latencies: { send: sends.latencies, send_to_receive: tally.latencies },
  };
}

async function sendOneAtATime(chat: Chat): Promise<Shot> {
  const { rig, fleet } = chat;
  for (let round = 0; round < warmUpRounds; round += 1) await sendOne(chat);
  const rounds = countRounds(rig);
  await fleet.startTally(chat.senders.nextMessage, rounds * 2 + 1, {
    fromMs: nowMs(),
    toMs: farAwayMs,
  });
  const all: Measured[] = [];
  const tookMs: number[] = [];
  let received = 0;
  for (let round = 0; round < rounds; round += 1) {
    let beganAtMs = 0;
    all.push(
      await rig.measureAround(async () => {
        beganAtMs = nowMs();
        await sendOne(chat, (received += fleet.followerCount));
        await pause(settleMs);
      }),
    );
    tookMs.push((await fleet.readTally()).lastReceivedAtMs - beganAtMs);
  }
  await chat.history.expect(rounds + warmUpRounds);
  const tally = await fleet.readTally();
  return {
    operation: 'delivery',
    operations: tally.received,
    measured: joinMeasured(all),
    figures: {
      deliveries_per_s: (fleet.followerCount * 1_000) / findMedian(tookMs),
      until_all_have_it_ms: findMedian(tookMs),
    },
    latencies: { send_to_receive: tally.latencies },
  };
}

function countRounds(rig: Rig): number {
  return Math.max(roundsMin, Math.round(rig.secs * roundsPerSec));
}

/** Sends a message and waits until everybody has it. */
async function sendOne(chat: Chat, received?: number): Promise<void> {
  const { fleet, senders } = chat;
  const window = { fromMs: nowMs(), toMs: farAwayMs };
  if (received === undefined) await fleet.startTally(senders.nextMessage, 2, window);
  await senders.send({
    ...planOf(chat),
    connections: 1,
    endAtMs: farAwayMs,
    sendsMax: 1,
    window,
  });
  await fleet.waitForReceived(received ?? fleet.followerCount);
}

function planOf({ system, account, streamName }: Chat): {
  readonly urls: readonly string[];
  readonly accounts: Chat['account'][];
  readonly destinations: { readonly streamName: string; readonly topic: string }[];
  readonly sendsMax: number;
} {
  return {
    urls: system.urls,
    accounts: [account],
    destinations: [{ streamName, topic: 'load' }],
    sendsMax: sendsBound,
  };
}
