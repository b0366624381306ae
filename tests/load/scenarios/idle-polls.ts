import { setTimeout as pause } from 'node:timers/promises';

import type { Cluster, ServiceName } from '@parley/test-kit';

import { openNchan } from '../controls/nchan.ts';
import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { Latencies } from '../latencies.ts';
import { readFollowings } from '../load-options.ts';
import type { Following, LoadOptions } from '../load-options.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts } from '../make-people.ts';
import { NumberedSends, collectReceipts } from '../numbered-sends.ts';
import { ProcessGauge, inspectable } from '../process-gauge.ts';
import type { MemorySample } from '../process-gauge.ts';
import type { Rig } from '../rig.ts';
import type { Case, Group, MeasuredScenario, Shot } from '../scenario.ts';

const pollsBound = 18_000;
const requestsAtOnce = 32;
const sendsToAll = 3;
const controlRounds = 3;
const heldDeadlineMs = 120_000;
// Each check costs the process a scrape of its metrics, which counts every open socket.
const lookIntervalMs = 200;
const measuredServices = ['gateway', 'events'] as const;
const bytesPerKib = 1_024;

type Memory = Readonly<Record<(typeof measuredServices)[number], MemorySample>>;

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
          const idle = await IdlePolls.open(system, rig, following);
          before ??= await idle.readMemory();
          return idle.listCases(options, before);
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

class IdlePolls {
  readonly #system: LoadSystem;
  readonly #rig: Rig;
  readonly #of: Following['of'];
  readonly #polls: number;
  readonly #fleet: Fleet;
  readonly #sends: NumberedSends;
  readonly #stream: string;

  static async open(
    system: LoadSystem,
    rig: Rig,
    { of, count: polls }: Following,
  ): Promise<IdlePolls> {
    const { organization } = getOwn(system, 'idle');
    const label = `held ${polls} ${of}`;
    const sender = await organization.makeAccount(`Sender ${label}`);
    const people = await makeAccounts(organization, polls, label);
    const stream = await organization.makeStream(label, [sender]);
    await organization.maker.subscribe(
      stream.id,
      people.map(({ user }) => user.id),
    );
    const sends = new NumberedSends(sender.client);
    // The first send to a topic creates its conversation.
    await sends.send(stream.name);
    const { fleet } = await Fleet.register(system.urls, credentialsOf(people), requestsAtOnce, of);
    rig.addGenerators(fleet);
    return new IdlePolls({ system, rig, of, polls, fleet, sends, stream: stream.name });
  }

  private constructor(parts: {
    readonly system: LoadSystem;
    readonly rig: Rig;
    readonly of: Following['of'];
    readonly polls: number;
    readonly fleet: Fleet;
    readonly sends: NumberedSends;
    readonly stream: string;
  }) {
    this.#system = parts.system;
    this.#rig = parts.rig;
    this.#of = parts.of;
    this.#polls = parts.polls;
    this.#fleet = parts.fleet;
    this.#sends = parts.sends;
    this.#stream = parts.stream;
  }

  async listCases(options: LoadOptions, before: Memory): Promise<readonly Case[]> {
    const { stores } = getOwn(this.#system, 'idle');
    return [
      { name: 'idle', run: () => this.#run(before) },
      ...(options.controls && this.#of === 'polls'
        ? await openNchan(this.#rig, stores.folder, this.#polls, controlRounds)
        : []),
    ];
  }

  /** After a garbage collection in each process. */
  async readMemory(): Promise<Memory> {
    const { cluster } = getOwn(this.#system, 'idle');
    const samples = await Promise.all(
      measuredServices.map(async (service) => {
        const all = await Promise.all(
          cluster.findProcesses(service).map(async (running) => {
            using gauge = new ProcessGauge(running);
            return await gauge.readMemory();
          }),
        );
        const sum = (read: (sample: MemorySample) => number): number =>
          all.reduce((total, sample) => total + read(sample), 0);
        return [
          service,
          {
            heapBytes: sum(({ heapBytes }) => heapBytes),
            externalBytes: sum(({ externalBytes }) => externalBytes),
            rssBytes: sum(({ rssBytes }) => rssBytes),
          },
        ] as const;
      }),
    );
    return Object.fromEntries(samples) as Memory;
  }

  async #run(before: Memory): Promise<Shot> {
    const { cluster } = getOwn(this.#system, 'idle');
    const opening = await this.#fleet.hold(this.#polls, requestsAtOnce);
    await this.#waitForHeld(this.#polls);
    const memory = await this.readMemory();
    const { heartbeats: heartbeatsBefore } = await this.#fleet.report();
    let heartbeats = 0;
    const measured = await this.#rig.measureAround(async () => {
      await pause(this.#rig.secs * 1_000);
      heartbeats = (await this.#fleet.report()).heartbeats - heartbeatsBefore;
    });
    const latencies = new Latencies();
    for (let n = 0; n < sendsToAll; n += 1) {
      await this.#sends.send(this.#stream);
      const { receipts } = await collectReceipts(this.#fleet, this.#polls);
      for (const latencyMs of this.#sends.latenciesOf(receipts)) latencies.record(latencyMs);
    }
    const files = await Promise.all(
      measuredServices.map(async (service) => {
        const counts = await Promise.all(
          cluster.findProcesses(service).map(async (running) => {
            using gauge = new ProcessGauge(running);
            return await gauge.countOpenFiles();
          }),
        );
        return [`open_files_${service}`, counts.reduce((sum, count) => sum + count, 0)] as const;
      }),
    );
    await this.#fleet.release();
    await this.#waitForHeld(0);
    const kibPerPoll = (bytes: number): number => bytes / bytesPerKib / this.#polls;
    const grown = (
      service: (typeof measuredServices)[number],
      read: (sample: MemorySample) => number,
    ): number => kibPerPoll(read(memory[service]) - read(before[service]));
    const rss = measuredServices.map((service) => grown(service, ({ rssBytes }) => rssBytes));
    return {
      operation: 'heartbeat',
      operations: heartbeats,
      measured,
      figures: {
        polls_opened_per_s: (this.#polls * 1_000) / opening.tookMs,
        memory_kib_per_poll: rss.reduce((sum, kib) => sum + kib, 0),
        memory_gateway_kib_per_poll: rss[0] ?? 0,
        memory_events_kib_per_poll: rss[1] ?? 0,
        heap_gateway_kib_per_poll: grown('gateway', ({ heapBytes }) => heapBytes),
        heap_events_kib_per_poll: grown('events', ({ heapBytes }) => heapBytes),
        heartbeats,
        ...Object.fromEntries(files),
      },
      latencies: { send_to_receive: latencies },
    };
  }

  #waitForHeld(polls: number): Promise<void> {
    const { cluster } = getOwn(this.#system, 'idle');
    return waitForHeld(cluster, this.#fleet, polls, {
      slack: this.#of === 'polls' ? betweenPolls(polls) : 0,
      of: this.#of,
    });
  }
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

/** Of many polls some are always between a heartbeat and the next poll. */
function betweenPolls(polls: number): number {
  return Math.floor(polls / 200);
}
