import { setTimeout as pause } from 'node:timers/promises';

import type { Cluster, ServiceName, ServiceProcess } from '@parley/test-kit';

import { openNchan } from '../controls/nchan.ts';
import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { readFollowings } from '../load-options.ts';
import type { Following } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { makeAudience } from '../make-people.ts';
import { ProcessGauge, inspectable } from '../process-gauge.ts';
import type { MemorySample } from '../process-gauge.ts';
import type { Rig } from '../rig.ts';
import type { Group, MeasuredScenario, Shot } from '../scenario.ts';
import { Talk } from '../talk.ts';

const pollsBound = 18_000;
const requestsAtOnce = 32;
const sendsToAll = 3;
const controlRounds = 3;
const heldDeadlineMs = 120_000;
// Each check costs the process a scrape of its metrics, which counts every open socket.
const lookIntervalMs = 200;
const measuredServices = ['gateway', 'events'] as const;
const bytesPerKib = 1_024;

type MeasuredService = (typeof measuredServices)[number];

function idleScenarioOf(
  name: string,
  summary: string,
  usual: { readonly polls: string } | { readonly streams: string },
): MeasuredScenario {
  return {
    name,
    summary,
    secs: 60,
    ownSystem: () => ({ environment: inspectable }),
    groups: (system, options) => {
      // Measured on processes that have held nothing yet: memory that V8 retains from an earlier level would hide that of the next
      // one.
      let before: Memory | undefined;
      return readFollowings(options, usual, 'polls', pollsBound).map((following): Group => ({
        name: `${following.count} ${following.of === 'polls' ? 'held polls' : 'open streams'}`,
        open: async (rig) => {
          const { cluster, stores } = system;
          const talk = await openTalk(system, rig, following);
          const begun = (before ??= await readMemory(cluster));
          return [
            { name: 'idle', run: () => holdIdle(cluster, rig, following, talk, begun) },
            ...(options.controls && following.of === 'polls'
              ? await openNchan(rig, stores.folder, following.count, controlRounds)
              : []),
          ];
        },
      }));
    },
  };
}

/** Waiting polls: their memory in gateway and node, and the cost of heartbeats. */
export const idleScenario = idleScenarioOf(
  'idle',
  '1,000 and 9,000 held polls; 18,000 with --polls 18000 --processes gateway=2',
  { polls: '1000,9000' },
);

/** The same of streams, in a system of its own: the queues that held polls leave behind would count as theirs. */
export const idleStreamsScenario = idleScenarioOf('idle-streams', '1,000 and 9,000 open streams', {
  streams: '1000,9000',
});

async function openTalk(
  system: LoadSystem,
  rig: Rig,
  { of, count: polls }: Following,
): Promise<Talk> {
  const { organization } = system;
  const audience = await makeAudience(organization, `held ${polls} ${of}`, polls);
  const { sender, streamName, listeners } = audience;
  const fleet = await Fleet.register(system.urls, listeners, requestsAtOnce, of);
  const talk = new Talk(rig, system, { accounts: [sender], streamName, fleet });
  // The first send to a topic creates its conversation.
  await talk.sendMany(1);
  return talk;
}

/** Of each service, with all its processes, after a garbage collection. */
type Memory = Readonly<Record<MeasuredService, MemorySample>>;

function readMemory(cluster: Cluster<ServiceProcess>): Promise<Memory> {
  return sumOfServices(cluster, (gauge) => gauge.readMemory());
}

/** @returns what the processes of each measured service have together */
async function sumOfServices<Figures extends Readonly<Record<string, number>>>(
  cluster: Cluster<ServiceProcess>,
  read: (gauge: ProcessGauge) => Promise<Figures>,
): Promise<Readonly<Record<MeasuredService, Figures>>> {
  const services = measuredServices.map(async (service) => {
    const sum: Record<string, number> = {};
    for (const running of cluster.findProcesses(service)) {
      using gauge = new ProcessGauge(running);
      for (const [name, value] of Object.entries(await read(gauge)))
        sum[name] = (sum[name] ?? 0) + value;
    }
    return [service, sum as Figures] as const;
  });
  return Object.fromEntries(await Promise.all(services)) as Record<MeasuredService, Figures>;
}

async function holdIdle(
  cluster: Cluster<ServiceProcess>,
  rig: Rig,
  { of, count: polls }: Following,
  talk: Talk,
  before: Memory,
): Promise<Shot> {
  const { fleet } = talk;
  // Of many polls some are always between a heartbeat and the next poll.
  const slack = of === 'polls' ? Math.floor(polls / 200) : 0;
  const opening = await fleet.hold(requestsAtOnce);
  await waitForHeld(cluster, fleet, polls, { slack, of });
  const memory = await readMemory(cluster);
  const { heartbeats: heartbeatsBefore } = await fleet.readCounts();
  let heartbeats = 0;
  const measured = await rig.measureAround(async () => {
    await pause(rig.secs * 1_000);
    heartbeats = (await fleet.readCounts()).heartbeats - heartbeatsBefore;
  });
  await talk.begin(sendsToAll);
  for (let n = 0; n < sendsToAll; n += 1) await talk.sendOne();
  const { latencies } = await fleet.readTally();
  const files = await sumOfServices(cluster, async (gauge) => ({
    open: await gauge.countOpenFiles(),
  }));
  await fleet.release();
  await waitForHeld(cluster, fleet, 0, { slack, of });
  const grown = (service: keyof Memory, figure: keyof MemorySample): number =>
    (memory[service][figure] - before[service][figure]) / bytesPerKib / polls;
  const [gatewayKib, nodeKib] = [grown('gateway', 'rssBytes'), grown('events', 'rssBytes')];
  return {
    operation: 'heartbeat',
    operations: heartbeats,
    measured,
    figures: {
      polls_opened_per_s: (polls * 1_000) / opening.tookMs,
      memory_kib_per_poll: gatewayKib + nodeKib,
      memory_gateway_kib_per_poll: gatewayKib,
      memory_events_kib_per_poll: nodeKib,
      heap_gateway_kib_per_poll: grown('gateway', 'heapBytes'),
      heap_events_kib_per_poll: grown('events', 'heapBytes'),
      heartbeats,
      ...Object.fromEntries(
        Object.entries(files).map(([service, { open }]) => [`open_files_${service}`, open]),
      ),
    },
    latencies: { send_to_receive: latencies },
  };
}

const heldMetrics = {
  polls: { gateway: 'parley_gateway_held_polls', events: 'parley_event_polls_held' },
  streams: { gateway: 'parley_gateway_open_streams', events: 'parley_event_streams_open' },
} as const;

/**
 * Waits until the nodes hold this many polls or streams, and the gateways as many.
 *
 * @param options.slack how many may be missing or too many at the moment of a check
 * @throws Error if that does not happen in time, or a client observed a fault
 */
export async function waitForHeld(
  cluster: Cluster,
  fleet: Fleet,
  polls: number,
  { slack = 0, of = 'polls' }: { readonly slack?: number; readonly of?: Following['of'] } = {},
): Promise<void> {
  const metrics = heldMetrics[of];
  const count = async (service: ServiceName, metric: string): Promise<number> => {
    const values = await Promise.all(
      cluster.findProcesses(service).map((running) => running.readMetric(metric)),
    );
    return values.reduce((sum, value) => sum + value, 0);
  };
  const giveUpAt = nowMs() + heldDeadlineMs;
  for (;;) {
    await fleet.check();
    const atGateways = await count('gateway', metrics.gateway);
    const atNodes = await count('events', metrics.events);
    if (Math.abs(atGateways - polls) <= slack && Math.abs(atNodes - polls) <= slack) return;
    if (nowMs() > giveUpAt)
      throw new Error(`of ${polls} ${of} ${atGateways} are held by gateways, ${atNodes} by nodes`);
    await pause(lookIntervalMs);
  }
}
