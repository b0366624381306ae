import { generatorsPart } from '../accounting.ts';
import { findBusy } from '../busy-parts.ts';
import { startSystemOn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { Office, rateOf } from '../office.ts';
import { inspectable } from '../process-gauge.ts';
import { Rig, findParts } from '../rig.ts';
import { checkLogs } from '../run-measured.ts';

export type CapacityStep = {
  readonly people: number;
  readonly gateways: number;
  readonly requestsPerSecond: number;
  /** Whether everybody got every message within {@link receiveMaxMs} at the 99th percentile, and every request was answered. */
  readonly isCarried: boolean;
  readonly sendToReceiveMs: { readonly p50: number; readonly p99: number } | undefined;
  /** Share of a core, for each process, the busiest first. */
  readonly corePercent: Readonly<Record<string, number>>;
  readonly generatorsPercent: number;
  /** Why the step gave no figures. */
  readonly fault: string | undefined;
};

export type Capacity = {
  /** The largest number of people that the system sustained; 0 if it did not sustain even the first. */
  readonly people: number;
  readonly perCore: number;
  readonly steps: readonly CapacityStep[];
};

const receiveMaxMs = 250;
// Each poll takes one of the 20,000 files that a process may open; the mix needs some as well.
const peoplePerGateway = 9_000;
const precision = 1.1;
const connectionsMax = 256;

/**
 * Searches for the largest organization whose people, all online and working at the rate of real clients, get messages within a
 * quarter of a second: by doubling, then by bisecting. Each step is a separate system on the same stores.
 */
export async function findCapacity(
  system: LoadSystem,
  search: {
    readonly from: number;
    readonly most: number;
    readonly secs: number;
    readonly warmUpSecs: number;
    readonly cores: number;
  },
  report: (step: CapacityStep) => void,
  say: (text: string) => void,
): Promise<Capacity> {
  const steps: CapacityStep[] = [];
  const carries = async (people: number): Promise<boolean> => {
    const step = await measureStep(system, people, search, say);
    steps.push(step);
    report(step);
    return step.isCarried;
  };
  let carried = 0;
  let tooMany = search.from;
  while (tooMany <= search.most && (await carries(tooMany))) {
    carried = tooMany;
    tooMany *= 2;
  }
  while (carried > 0 && tooMany <= search.most && tooMany / carried > precision) {
    const between = Math.round((carried + tooMany) / 2);
    if (await carries(between)) carried = between;
    else tooMany = between;
  }
  return { people: carried, perCore: Math.round(carried / search.cores), steps };
}

async function measureStep(
  system: LoadSystem,
  people: number,
  {
    secs,
    warmUpSecs,
    cores,
  }: { readonly secs: number; readonly warmUpSecs: number; readonly cores: number },
  say: (text: string) => void,
): Promise<CapacityStep> {
  const { stores } = system;
  const gateways = Math.ceil(people / peoplePerGateway);
  const requestsPerSecond = rateOf(people);
  const beside = await startSystemOn(stores, 1, {
    events: 1,
    gateways,
    logsToFiles: true,
    environment: inspectable,
  });
  const parts = findParts(beside);
  const rig = new Rig({ parts, pool: undefined, secs, warmUpSecs, say });
  const load = { people, gateways, requestsPerSecond: Math.round(requestsPerSecond) };
  try {
    const office = await Office.open(beside, people, rig);
    const { measured, latencies } = await office.work(rig, requestsPerSecond, connectionsMax);
    await checkLogs(beside);
    const received = latencies['send_to_receive'];
    const p99 = received?.at(99) ?? Number.POSITIVE_INFINITY;
    return {
      ...load,
      isCarried: p99 <= receiveMaxMs,
      sendToReceiveMs: { p50: received?.at(50) ?? Number.POSITIVE_INFINITY, p99 },
      corePercent: findBusy(measured, parts),
      generatorsPercent:
        ((measured.use.cpuNs[generatorsPart] ?? 0) / 1e9 / measured.use.secs / cores) * 100,
      fault: undefined,
    };
  } catch (error) {
    return {
      ...load,
      isCarried: false,
      sendToReceiveMs: undefined,
      corePercent: {},
      generatorsPercent: 0,
      fault: String(error),
    };
  } finally {
    await rig.dispose();
    await beside.stop();
  }
}
