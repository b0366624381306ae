import { serviceNames } from '@parley/test-kit';
import type { ServiceName } from '@parley/test-kit';

import { SeededRandom } from '../privacy/seeded-random.ts';

/** The faults of a process. */
const processFaults = ['kill', 'pause', 'drain'] as const;

/** The faults of stores and connections. */
const otherFaults = [
  /** Redis is killed and restarted with its data on disk. */
  'redis-crash',
  /** Redis is killed and restarted empty. */
  'redis-wipe',
  /** Redis is cut off from all processes. Afterwards the held bytes arrive late, or the connections are reset. */
  'redis-cut',
  /** Postgres is stopped, cleanly or not, and restarted. */
  'postgres-restart',
  /** Clients lose their connections to the gateways. */
  'drop-clients',
  /** Gateways lose their connections to the services. */
  'drop-services',
  /** Every process loses its connections to Postgres and Redis. */
  'drop-stores',
  /** Postgres is cut off from one process. Afterwards the held bytes arrive late, or the connections are reset. */
  'postgres-cut',
  /** The connection between Postgres and one message service becomes slow. */
  'postgres-slow',
] as const;

export type FaultKind =
  | `${(typeof processFaults)[number]}-${ServiceName}`
  | (typeof otherFaults)[number];

export const faultKinds: readonly FaultKind[] = [
  ...processFaults.flatMap((what) => serviceNames.map((service) => `${what}-${service}` as const)),
  ...otherFaults,
];

/** Where all services share a process, what happens to one happens to all, so its faults are named by two of them. */
const ofProcessesTogether: ReadonlySet<FaultKind> = new Set([
  ...processFaults.flatMap((what) => [`${what}-gateway`, `${what}-events`] as const),
  ...otherFaults,
]);

/** @returns the kinds of faults that a system has, of separate processes or of some with all services */
export function faultKindsOf(isTogether: boolean): readonly FaultKind[] {
  return isTogether ? faultKinds.filter((kind) => ofProcessesTogether.has(kind)) : faultKinds;
}

/** One fault of a run. */
export type Fault = {
  readonly kind: FaultKind;
  /** When it begins, from the start of the traffic. */
  readonly atMs: number;
  /** How long it lasts: a pause, a cut, or the outage of a killed store. */
  readonly durationMs: number;
  /** Which of the processes it affects, as a fraction of their number from 0 to 1. */
  readonly pick: number;
  /** Chooses between the two variants of some faults. */
  readonly isHard: boolean;
};

/** Each kind occurs once in this period. */
const periodMs = 60_000;
/** The first fault begins after the traffic, and the last one before its end. */
const calmBeginningMs = 3_000;
const calmEndMs = 9_000;

/** From the shortest to the longest, in milliseconds. Pauses are longer than the four seconds of a lease. */
const durations: Readonly<Partial<Record<FaultKind, readonly [number, number]>>> = {
  'redis-crash': [200, 4_000],
  'redis-wipe': [200, 4_000],
  'redis-cut': [1_000, 6_000],
  'postgres-restart': [0, 1_500],
  'postgres-cut': [1_000, 6_000],
  'postgres-slow': [5_000, 8_000],
};
const pauseDuration = [4_600, 7_500] as const;

/**
 * The faults of a run: a pure function of its seed and length, so that a run can be repeated. Every kind occurs once a minute, in
 * an
 * order and at times that the seed decides.
 *
 * @param durationMs the duration of the traffic
 * @param kinds by default all
 */
export function planFaults(
  seed: number,
  durationMs: number,
  kinds: readonly FaultKind[] = faultKinds,
): Fault[] {
  const random = new SeededRandom(seed);
  const times = Math.max(1, Math.round(durationMs / periodMs));
  const all = Array.from({ length: times }, () => kinds).flat();
  const ordered = random.sample(all, all.length);
  const stepMs = (durationMs - calmBeginningMs - calmEndMs) / ordered.length;
  return ordered.map((kind, index) => {
    const [shortestMs, longestMs] =
      durations[kind] ?? (kind.startsWith('pause-') ? pauseDuration : [0, 0]);
    return {
      kind,
      atMs: Math.round(calmBeginningMs + (index + random.next()) * stepMs),
      durationMs: Math.round(shortestMs + random.next() * (longestMs - shortestMs)),
      pick: random.next(),
      isHard: random.chance(0.5),
    };
  });
}

/** @returns the schedule as lines, which a run prints at its start */
export function describeFaults(faults: readonly Fault[]): string {
  return faults
    .map(
      ({ kind, atMs, durationMs, isHard }) =>
        `${(atMs / 1_000).toFixed(1).padStart(7)} s  ${kind}${isHard ? ' (hard)' : ''}${durationMs > 0 ? ` for ${(durationMs / 1_000).toFixed(1)} s` : ''}`,
    )
    .join('\n');
}
