import { setTimeout as pause } from 'node:timers/promises';

import type { Cluster, ServiceName } from '@parley/test-kit';

import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { summarizeLatencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts } from '../make-people.ts';
import { collectReceipts, NumberedSends } from '../numbered-sends.ts';
import { kibEach, ProcessGauge } from '../process-gauge.ts';

export type IdlePollsResult = {
  readonly polls: number;
  readonly gateways: number;
  readonly opened_per_second: number;
  readonly gateway_heap_kib_per_poll: number;
  readonly gateway_rss_kib_per_poll: number;
  readonly node_heap_kib_per_poll: number;
  readonly node_rss_kib_per_poll: number;
  readonly gateway_open_files: number;
  readonly node_open_files: number;
  readonly idle_seconds: number;
  readonly heartbeats: number;
  readonly gateway_cpu_percent: number;
  readonly node_cpu_percent: number;
  readonly gateway_cpu_us_per_heartbeat: number | null;
  readonly node_cpu_us_per_heartbeat: number | null;
  /** A message to all. */
  readonly send_to_receive: LatencySummary;
  readonly deliveries_per_second: number;
};

const stream = 'held';
const requestsAtOnce = 32;
const sendsToAll = 3;
const heldDeadlineMs = 120_000;
// A look costs the process a scrape of its metrics, which counts every open socket.
const lookIntervalMs = 200;

/**
 * Holds polls on one event node, more with each level, lets them idle through a heartbeat, and delivers a message to all.
 *
 * @param options.levels numbers of held polls, growing
 * @throws Error for a system that is not the generator's own, and when a client sees what it may not see
 */
export async function measureIdlePolls(
  system: LoadSystem,
  options: { readonly levels: readonly number[]; readonly idleSecs: number },
  report: (result: IdlePollsResult) => void,
): Promise<void> {
  const { organization, cluster } = getOwn(system, 'idle');
  using stack = new DisposableStack();
  const gaugesOf = (service: ServiceName): readonly ProcessGauge[] =>
    cluster.findProcesses(service).map((running) => stack.use(new ProcessGauge(running)));
  const gateways = gaugesOf('gateway');
  const nodes = gaugesOf('events');
  const sender = await organization.makeAccount('Sender');
  const people = await makeAccounts(organization, Math.max(...options.levels), 'held');
  const [made] = await organization.maker.makeStreams([{ name: stream }]);
  if (made === undefined) throw new Error('no stream was made');
  await organization.maker.subscribe(made.id, [sender.id, ...people.map(({ user }) => user.id)]);
  const sends = new NumberedSends(sender.client);
  await sends.send(stream);

  const registered = await Fleet.register(system.urls, credentialsOf(people), requestsAtOnce);
  const fleet = stack.use(registered.fleet);
  const gatewaysBefore = await readMemory(gateways);
  const nodesBefore = await readMemory(nodes);
  let held = 0;
  for (const polls of options.levels) {
    const opening = await fleet.hold(polls, requestsAtOnce);
    await waitForHeld(cluster, fleet, polls, betweenPolls(polls));
    const openedPerSecond = ((polls - held) * 1_000) / opening.tookMs;
    held = polls;
    const gatewaysAfter = await readMemory(gateways);
    const nodesAfter = await readMemory(nodes);

    const { heartbeats: heartbeatsBefore } = await fleet.report();
    const gatewaysCpuBefore = await readCpuSecs(gateways);
    const nodesCpuBefore = await readCpuSecs(nodes);
    await pause(options.idleSecs * 1_000);
    const gatewaysCpuSecs = (await readCpuSecs(gateways)) - gatewaysCpuBefore;
    const nodesCpuSecs = (await readCpuSecs(nodes)) - nodesCpuBefore;
    const heartbeats = (await fleet.report()).heartbeats - heartbeatsBefore;

    const latencies: number[] = [];
    let deliveringMs = 0;
    for (let n = 0; n < sendsToAll; n += 1) {
      const startedAt = nowMs();
      await sends.send(stream);
      const { receipts } = await collectReceipts(fleet, polls);
      latencies.push(...sends.latenciesOf(receipts));
      deliveringMs += Math.max(...receipts.map(({ receivedAtMs }) => receivedAtMs)) - startedAt;
      await waitForHeld(cluster, fleet, polls, betweenPolls(polls));
    }
    report({
      polls,
      gateways: gateways.length,
      opened_per_second: Math.round(openedPerSecond),
      gateway_heap_kib_per_poll: kibEach(gatewaysAfter.heap - gatewaysBefore.heap, polls),
      gateway_rss_kib_per_poll: kibEach(gatewaysAfter.rss - gatewaysBefore.rss, polls),
      node_heap_kib_per_poll: kibEach(nodesAfter.heap - nodesBefore.heap, polls),
      node_rss_kib_per_poll: kibEach(nodesAfter.rss - nodesBefore.rss, polls),
      gateway_open_files: await countOpenFiles(gateways),
      node_open_files: await countOpenFiles(nodes),
      idle_seconds: options.idleSecs,
      heartbeats,
      gateway_cpu_percent: percent(gatewaysCpuSecs, options.idleSecs),
      node_cpu_percent: percent(nodesCpuSecs, options.idleSecs),
      gateway_cpu_us_per_heartbeat: usEach(gatewaysCpuSecs, heartbeats),
      node_cpu_us_per_heartbeat: usEach(nodesCpuSecs, heartbeats),
      send_to_receive: summarizeLatencies(latencies),
      deliveries_per_second: Math.round((sendsToAll * polls * 1_000) / deliveringMs),
    });
  }
}

/**
 * Waits until the nodes hold so many polls, and the gateways as many.
 *
 * @param slack how many may be missing or too many at the moment of a look
 * @throws Error when that does not come, and when a client saw what it may not see
 */
export async function waitForHeld(
  cluster: Cluster,
  fleet: Fleet,
  polls: number,
  slack = 0,
): Promise<void> {
  const count = async (service: ServiceName, metric: string): Promise<number> => {
    const values = await Promise.all(
      cluster.findProcesses(service).map((running) => running.readMetric(metric)),
    );
    return values.reduce((sum, value) => sum + value, 0);
  };
  const giveUpAt = nowMs() + heldDeadlineMs;
  for (;;) {
    await fleet.check();
    const atGateways = await count('gateway', 'parley_gateway_held_polls');
    const atNodes = await count('events', 'parley_event_polls_held');
    if (Math.abs(atGateways - polls) <= slack && Math.abs(atNodes - polls) <= slack) return;
    if (nowMs() > giveUpAt)
      throw new Error(`of ${polls} polls ${atGateways} are held by gateways, ${atNodes} by nodes`);
    await pause(lookIntervalMs);
  }
}

/** Of many polls some are always on their way between a heartbeat and the next poll. */
function betweenPolls(polls: number): number {
  return Math.floor(polls / 200);
}

async function readMemory(
  gauges: readonly ProcessGauge[],
): Promise<{ readonly heap: number; readonly rss: number }> {
  const samples = await Promise.all(gauges.map((gauge) => gauge.readMemory()));
  return {
    heap: samples.reduce((sum, { heapBytes }) => sum + heapBytes, 0),
    rss: samples.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  };
}

async function readCpuSecs(gauges: readonly ProcessGauge[]): Promise<number> {
  const secs = await Promise.all(gauges.map((gauge) => gauge.readCpuSecs()));
  return secs.reduce((sum, value) => sum + value, 0);
}

async function countOpenFiles(gauges: readonly ProcessGauge[]): Promise<number> {
  const counts = await Promise.all(gauges.map((gauge) => gauge.countOpenFiles()));
  return counts.reduce((sum, value) => sum + value, 0);
}

function percent(cpuSecs: number, secs: number): number {
  return Math.round((cpuSecs / secs) * 1_000) / 10;
}

function usEach(cpuSecs: number, count: number): number | null {
  return count === 0 ? null : Math.round((cpuSecs * 1e6) / count);
}
