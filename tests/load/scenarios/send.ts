import { openPgbench } from '../controls/pgbench.ts';
import { Fleet } from '../fleet/fleet.ts';
import { readCount, readCounts } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import { accountsInTurn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';
import { Talk } from '../talk.ts';

const sendersBound = 1_000;
const topicsBound = 10_000;
const followersBound = 1_000;
// One process can make as many requests as two cores answer; the second ensures that the generator is not the limit.
const senderProcesses = 2;
const requestsAtOnce = 16;

/** Clients that each wait for their answer before they send again. */
export const sendScenario: MeasuredScenario = {
  name: 'send',
  summary: 'closed-loop sends by 1, 8 and 64 clients into 1 and 200 topics',
  secs: 10,
  groups: (system, options) => [{ name: 'send', open: (rig) => openSends(system, options, rig) }],
};

async function openSends(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { stores } = system;
  const fleet = await follow(system, options.followers ?? '1');
  const { accounts, stream: streamName } = system;
  const talk = new Talk(rig, system, { accounts, streamName, fleet, senderProcesses });
  await fleet?.hold(requestsAtOnce);
  const senders = readCounts(options.senders ?? '1,8,64', 'senders', sendersBound);
  const topics = readCounts(options.topics ?? '1,200', 'topics', topicsBound);
  const ours = topics.flatMap((topicCount) =>
    senders.map((connections): Case => ({
      name: `${connections} in flight, ${topicCount === 1 ? 'one topic' : `${topicCount} topics`}`,
      run: () => talk.sendInTurn(connections, topicCount),
    })),
  );
  return [...ours, ...(options.controls ? await openPgbench(rig, stores) : [])];
}

/** Queues of people who follow the stream by polling. */
async function follow(system: LoadSystem, followers: string): Promise<Fleet | undefined> {
  if (followers === '0') return undefined;
  const count = readCount(followers, 'followers', followersBound);
  return Fleet.register(system.urls, accountsInTurn(system, count), requestsAtOnce);
}
