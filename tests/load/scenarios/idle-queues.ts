import { setTimeout as pause } from 'node:timers/promises';

import { Fleet } from '../fleet/fleet.ts';
import { summarizeLatencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts } from '../make-people.ts';
import { NumberedSends, collectReceipts } from '../numbered-sends.ts';
import { ProcessGauge, kibEach, mebibytes } from '../process-gauge.ts';

export type IdleQueuesResult = {
  readonly idle_queues: number;
  readonly register_per_second: number;
  readonly register: LatencySummary;
  /** The first poll of a queue, for which the node loads the queue and its user. */
  readonly first_polls_per_second: number;
  readonly first_poll: LatencySummary;
  readonly node_heap_kib_per_queue: number;
  readonly node_rss_kib_per_queue: number;
  /** The same after this many messages to everybody, which no client has fetched. */
  readonly backlog: number;
  readonly node_heap_kib_per_queue_with_backlog: number;
  readonly node_heap_mib: number;
  readonly node_rss_mib: number;
  readonly node_idle_cpu_percent: number;
  readonly followers: number;
  /** To groups of ten, without and with the idle queues. */
  readonly deliveries_per_second: number;
  readonly send_to_receive_alone: LatencySummary;
  readonly send_to_receive: LatencySummary;
  /** To all followers at once. */
  readonly send_to_all_to_receive: LatencySummary;
};

const groupSize = 10;
const requestsAtOnce = 16;
const idleMs = 10_000;
const sendsToAll = 3;
const checkedMax = 1_000;

/**
 * Fills one node with queues of silent clients, and delivers messages to other queues.
 *
 * @throws Error for a system that the generator did not start, and if a client observed a fault
 */
export async function measureIdleQueues(
  system: LoadSystem,
  options: {
    readonly queues: number;
    readonly followers: number;
    readonly deliveriesPerSecond: number;
    readonly durationSecs: number;
    readonly backlog: number;
  },
): Promise<IdleQueuesResult> {
  const { organization, cluster } = getOwn(system, 'idle-queues');
  const { maker } = organization;
  const nodeProcess = cluster.getProcess('events', 0);
  using node = new ProcessGauge(nodeProcess);
  const sender = await organization.makeAccount('Sender');
  const followers = await makeAccounts(organization, options.followers, 'follower');
  const idle = await makeAccounts(organization, options.queues, 'idle');

  const makeStream = async (name: string, userIds: readonly number[]): Promise<string> => {
    const [stream] = await maker.makeStreams([{ name }]);
    if (stream !== undefined) await maker.subscribe(stream.id, [sender.id, ...userIds]);
    return name;
  };
  const groups: string[] = [];
  for (let from = 0; from < followers.length; from += groupSize) {
    const members = followers.slice(from, from + groupSize);
    groups.push(
      await makeStream(
        `group ${from}`,
        members.map(({ user }) => user.id),
      ),
    );
  }
  const everyFollower = await makeStream(
    'followers',
    followers.map(({ user }) => user.id),
  );
  const everyIdle = await makeStream(
    'idle',
    idle.map(({ user }) => user.id),
  );

  const sends = new NumberedSends(sender.client);
  const following = await Fleet.register(system.urls, credentialsOf(followers), requestsAtOnce);
  using fleet = following.fleet;
  await fleet.hold(followers.length, requestsAtOnce);
  const deliverToGroups = async (): Promise<LatencySummary> => {
    const sendsPerSecond = options.deliveriesPerSecond / groupSize;
    const count = Math.ceil(options.durationSecs * sendsPerSecond);
    await sends.sendPaced(count, sendsPerSecond, (n) => groups[n % groups.length] ?? '');
    const reached = Array.from({ length: count }, (_, n) =>
      Math.min(groupSize, followers.length - (n % groups.length) * groupSize),
    ).reduce((sum, members) => sum + members, 0);
    return summarizeLatencies(sends.latenciesOf((await collectReceipts(fleet, reached)).receipts));
  };
  // The first sends create conversations, in a system that has not run anything yet.
  await sends.sendPaced(groups.length, 100, (n) => groups[n] ?? '');
  await collectReceipts(fleet, followers.length);
  const alone = await deliverToGroups();

  const before = await node.readMemory();
  const quiet = await Fleet.register(system.urls, credentialsOf(idle), requestsAtOnce);
  using idleFleet = quiet.fleet;
  const touching = await idleFleet.touch(idle.length, requestsAtOnce);
  const inMemory = await nodeProcess.readMetric('parley_event_queues');
  if (inMemory !== idle.length + followers.length)
    throw new Error(`the node has ${inMemory} queues in memory`);
  const filled = await node.readMemory();
  const cpuBefore = await node.readCpuSecs();
  await pause(idleMs);
  const idleCpuSecs = (await node.readCpuSecs()) - cpuBefore;

  const beside = await deliverToGroups();
  const firstToAll = sends.count;
  await sends.sendPaced(sendsToAll, 1, () => everyFollower);
  const toAll = await collectReceipts(fleet, sendsToAll * followers.length);
  if (toAll.receipts.some(({ message }) => message < firstToAll))
    throw new Error('a message came again');

  await sends.sendPaced(options.backlog, Infinity, () => everyIdle);
  const withBacklog = await node.readMemory();
  const checked = Math.min(checkedMax, idle.length);
  await idleFleet.touch(checked, requestsAtOnce);
  await collectReceipts(idleFleet, checked * options.backlog);
  return {
    idle_queues: idle.length,
    register_per_second: Math.round((idle.length * 1_000) / quiet.registering.tookMs),
    register: summarizeLatencies(quiet.registering.latenciesMs),
    first_polls_per_second: Math.round((idle.length * 1_000) / touching.tookMs),
    first_poll: summarizeLatencies(touching.latenciesMs),
    node_heap_kib_per_queue: kibEach(filled.heapBytes - before.heapBytes, idle.length),
    node_rss_kib_per_queue: kibEach(filled.rssBytes - before.rssBytes, idle.length),
    backlog: options.backlog,
    node_heap_kib_per_queue_with_backlog: kibEach(
      withBacklog.heapBytes - before.heapBytes,
      idle.length,
    ),
    node_heap_mib: mebibytes(filled.heapBytes),
    node_rss_mib: mebibytes(filled.rssBytes),
    node_idle_cpu_percent: Math.round((idleCpuSecs / idleMs) * 1_000_000) / 10,
    followers: followers.length,
    deliveries_per_second: options.deliveriesPerSecond,
    send_to_receive_alone: alone,
    send_to_receive: beside,
    send_to_all_to_receive: summarizeLatencies(sends.latenciesOf(toAll.receipts)),
  };
}
