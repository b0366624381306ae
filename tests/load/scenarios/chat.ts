import { openNchan } from '../controls/nchan.ts';
import { Fleet } from '../fleet/fleet.ts';
import { readAmounts, readFollowings } from '../load-options.ts';
import type { Following, LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { makeAudience } from '../make-people.ts';
import type { Rig } from '../rig.ts';
import type { Case, Group, MeasuredScenario, Shot } from '../scenario.ts';
import { Talk, deliverOneByOne } from '../talk.ts';

const followersBound = 9_000;
const ratesBound = 1_000;
const requestsAtOnce = 32;
// From this many followers on, the next message is sent only when everybody has the previous one and polls again.
const oneAtATimeFrom = 5_000;
const roundsMin = 3;
const roundsPerSec = 0.5;

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
  const { organization, stores } = system;
  const audience = await makeAudience(organization, `of ${followers} ${of}`, followers);
  const { sender, streamName, listeners } = audience;
  const fleet = await Fleet.register(system.urls, listeners, requestsAtOnce, of);
  const talk = new Talk(rig, system, { accounts: [sender], streamName, fleet });
  await fleet.hold(requestsAtOnce);
  if (options.rate === undefined && followers >= oneAtATimeFrom) {
    const rounds = Math.max(roundsMin, Math.round(rig.secs * roundsPerSec));
    return [
      { name: 'one message at a time', run: () => sendOneAtATime(rig, talk, rounds) },
      ...(options.controls && of === 'polls'
        ? await openNchan(rig, stores.folder, followers, rounds)
        : []),
    ];
  }
  const usual: Readonly<Record<number, readonly number[]>> = usualRates[of];
  const rates =
    options.rate === undefined
      ? (usual[followers] ?? aFewPerSecond)
      : readAmounts(options.rate, 'rate', ratesBound);
  return rates.map((rate) => ({
    name: `${rate} messages a second`,
    run: () => talk.deliverAtRate(rate),
  }));
}

async function sendOneAtATime(rig: Rig, talk: Talk, rounds: number): Promise<Shot> {
  const shot = await deliverOneByOne(rig, talk, rounds);
  await talk.history.expect(rounds);
  return shot;
}
