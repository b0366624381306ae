import { setTimeout as pause } from 'node:timers/promises';

import { waitUntil } from '@parley/test-kit';

import { Fleet } from '../fleet/fleet.ts';
import { messageMark, nowMs } from '../fleet/protocol.ts';
import type { LoadSystem } from '../load-system.ts';
import { makeAudience } from '../make-people.ts';
import { ProcessGauge } from '../process-gauge.ts';
import { ask, askAll, writePost } from '../requests.ts';
import { findSlopePerHour } from '../slope.ts';
import { waitForHeld } from './idle-polls.ts';

/** Samples of a process that must not grow. */
type Sample = {
  readonly open_files: number;
  readonly heap_bytes: number;
  readonly listeners: number;
  readonly abort_signals: number;
  readonly handles: number;
  readonly queues: number;
};
type Quantity = keyof Sample;

export type SoakSample = Sample & { readonly process: string; readonly secs: number };

export type SoakResult = {
  readonly minutes: number;
  readonly clients: number;
  readonly abandoned: number;
  readonly deleted: number;
  readonly sends: number;
  /** False if the run is too short to distinguish growth from warming up; leftovers are checked in any case. */
  readonly slopes_judged: boolean;
  readonly processes: readonly {
    readonly process: string;
    readonly slopes_per_hour: Readonly<Record<Quantity, number>>;
    readonly before: Sample;
    readonly after: Sample;
  }[];
};

const requestsAtOnce = 16;
/** Rare enough that most clients hang up before an answer. */
const betweenSendsMs = 2_000;
const fillersAtOnce = 8;
const holdMaxMs = 3_000;
/** A third of a run is the warm-up, in which caches of code and of the log fill. Runs shorter than this cannot be judged. */
const judgedMinutesMin = 5;
const samplesMin = 8;
const calmDeadlineMs = 150_000;

/** The growth that counts as noise: a fraction of the mean plus this constant. */
const tolerances: Readonly<Record<Quantity, { readonly part: number; readonly beside: number }>> = {
  open_files: { part: 0.05, beside: 30 },
  heap_bytes: { part: 0.05, beside: 6 * 1_048_576 },
  listeners: { part: 0.05, beside: 300 },
  abort_signals: { part: 0.1, beside: 200 },
  handles: { part: 0.05, beside: 60 },
  queues: { part: 0.05, beside: 30 },
};

/**
 * Clients open and abandon polls, and delete and register queues, for a long time, while sockets, heap, listeners and queues of
 * gateways and event nodes are sampled.
 *
 * @throws Error if anything grows after the warm-up or is left at the end, and if a client is refused
 */
export async function soak(
  system: LoadSystem,
  options: {
    readonly minutes: number;
    readonly clients: number;
    /** Messages sent before, so that the nodes' bounded memory of the log is already full. */
    readonly fill: number;
    readonly sampleSecs: number;
  },
  onSample: (sample: SoakSample) => void,
): Promise<SoakResult> {
  const { organization, cluster } = system;
  const watched = [...cluster.findProcesses('gateway'), ...cluster.findProcesses('events')];
  using stack = new DisposableStack();
  const gauges = watched.map((running, n) => ({
    name: `${running.service} ${n}`,
    running,
    gauge: stack.use(new ProcessGauge(running)),
  }));
  const sample = async ({ gauge, running }: (typeof gauges)[number]): Promise<Sample> => ({
    // Listeners first, because counting them collects garbage.
    ...(await readHandles(gauge)),
    heap_bytes: (await gauge.readMemory()).heapBytes,
    open_files: await gauge.countOpenFiles(),
    queues: await running.readMetric('parley_event_queues'),
  });

  const { sender, streamName, listeners } = await makeAudience(
    organization,
    'soaked',
    options.clients,
  );
  const url = system.urls[0] ?? '';
  const writeMessage = (content: string): string => {
    const parameters = { type: 'stream', to: streamName, topic: 'soak', content };
    return writePost(url, '/api/v1/messages', sender, parameters);
  };
  const fillers = Array.from({ length: options.fill }, (_, n) => writeMessage(`filling ${n}`));
  await askAll(url, fillers, fillersAtOnce);
  const fleet = await Fleet.register(system.urls, listeners, requestsAtOnce);
  stack.defer(() => fleet.stop());
  // The nodes have all queues in memory.
  await fleet.hold(requestsAtOnce);
  await waitForHeld(cluster, fleet, listeners.length);
  await fleet.release();
  await waitForHeld(cluster, fleet, 0);
  const before = await Promise.all(gauges.map(sample));

  const stopping = new AbortController();
  let sends = 0;
  const sending = (async () => {
    while (!stopping.signal.aborted) {
      await ask(url, writeMessage(`${messageMark}${sends++}`));
      await pause(betweenSendsMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  // A failed send fails the run at its end and does not end the process at once.
  sending.catch(() => undefined);
  const beganAt = nowMs();
  const durationMs = options.minutes * 60_000;
  const samples: SoakSample[] = [];
  while (nowMs() - beganAt < durationMs) {
    await fleet.startChurn(holdMaxMs);
    await pause(options.sampleSecs * 1_000);
    // Counting listeners pauses a process for a moment, which clients must not notice; and held polls are not a leak.
    await fleet.stopChurn();
    await waitForHeld(cluster, fleet, 0);
    for (const watching of gauges) {
      const taken: SoakSample = {
        process: watching.name,
        secs: Math.round((nowMs() - beganAt) / 1_000),
        ...(await sample(watching)),
      };
      samples.push(taken);
      onSample(taken);
    }
  }
  stopping.abort();
  await sending;

  const after = await waitUntil(
    'nothing is left behind',
    async () => {
      const now = await Promise.all(gauges.map(sample));
      const grown = now.flatMap((end, n) => findGrown(gauges[n]?.name ?? '', before[n], end));
      if (grown.length > 0) throw new Error(grown.join('; '));
      return now;
    },
    { deadlineMs: calmDeadlineMs, pauseMs: 5_000 },
  );
  const warmSecs = (options.minutes * 60) / 3;
  const judged = samples.filter(({ secs }) => secs >= warmSecs);
  const isJudged =
    options.minutes >= judgedMinutesMin && judged.length >= samplesMin * gauges.length;
  const processes = gauges.map(({ name }, n) => {
    const own = judged.filter(({ process }) => process === name);
    const slopeOf = (quantity: Quantity): number =>
      findSlopePerHour(own.map((taken) => [taken.secs, taken[quantity]]));
    return {
      process: name,
      slopes_per_hour: recordOf(slopeOf),
      before: before[n] as Sample,
      after: after[n] as Sample,
      own,
    };
  });
  const judgedHours = (options.minutes * 60 - warmSecs) / 3_600;
  const steep = processes.flatMap(({ process, slopes_per_hour: slopes, own }) =>
    quantities
      .filter((quantity) => {
        const mean = own.reduce((sum, taken) => sum + taken[quantity], 0) / Math.max(1, own.length);
        return slopes[quantity] * judgedHours > allowance(quantity, mean);
      })
      .map((quantity) => `${quantity} of ${process} grows by ${slopes[quantity]} an hour`),
  );
  if (isJudged && steep.length > 0) throw new Error(steep.join('; '));
  const { abandoned, deleted } = await fleet.readCounts();
  return {
    minutes: options.minutes,
    clients: options.clients,
    abandoned,
    deleted,
    sends,
    slopes_judged: isJudged,
    processes: processes.map(({ own: _own, ...process }) => process),
  };
}

const quantities = Object.keys(tolerances) as Quantity[];

function recordOf(read: (quantity: Quantity) => number): Readonly<Record<Quantity, number>> {
  return Object.fromEntries(quantities.map((each) => [each, read(each)])) as Record<
    Quantity,
    number
  >;
}

function allowance(quantity: Quantity, mean: number): number {
  const { part, beside } = tolerances[quantity];
  return part * mean + beside;
}

function findGrown(process: string, before: Sample | undefined, after: Sample): string[] {
  return quantities.flatMap((quantity) => {
    const from = before?.[quantity] ?? 0;
    const isFlat = after[quantity] - from <= allowance(quantity, from);
    return isFlat ? [] : [`${quantity} of ${process} went from ${from} to ${after[quantity]}`];
  });
}

async function readHandles(
  gauge: ProcessGauge,
): Promise<Pick<Sample, 'listeners' | 'abort_signals' | 'handles'>> {
  const { listeners, abortSignals, handles } = await gauge.countHandles();
  return { listeners, abort_signals: abortSignals, handles };
}
