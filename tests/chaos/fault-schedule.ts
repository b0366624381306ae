import { serviceNames } from '@parley/test-kit';
import type { ServiceName } from '@parley/test-kit';

import { SeededRandom } from '../privacy/seeded-random.ts';

/** The faults of a process. */
const processFaults = ['kill', 'pause', 'drain'] as const;

/** What is done to stores and connections. */
const otherFaults = [
  /** Redis is killed and restarted with what it had written to disk. */
  'redis-crash',
  /** Redis is killed and restarted empty. */
  'redis-wipe',
  /** No byte passes between Redis and anybody; afterwards all come late, or the connections are reset. */
  'redis-cut',
  /** Postgres is stopped, in good order or not, and restarted. */
  'postgres-restart',
  /** Clients lose their connections to the gateways. */
  'drop-clients',
  /** Gateways lose their connections to the services. */
  'drop-services',
  /** Every process loses its connections to Postgres and Redis. */
  'drop-stores',
  /** No byte passes between Postgres and one process; afterwards all come late, or the connections are reset. */
  'postgres-cut',
  /** The way between Postgres and one message service becomes long. */
  'postgres-slow',
] as const;

export type FaultKind =
  | `${(typeof processFaults)[number]}-${ServiceName}`
  | (typeof otherFaults)[number];

export const faultKinds: readonly FaultKind[] = [
  ...processFaults.flatMap((what) => serviceNames.map((service) => `${what}-${service}` as const)),
  ...otherFaults,
];

/** One fault of a run. */
export type Fault = {
  readonly kind: FaultKind;
  /** When it begins, counted from the beginning of the traffic. */
  readonly atMs: number;
  /** How long it lasts: a pause, a cut, or how long a killed store stays away. */
  readonly durationMs: number;
  /** Which of the processes it hits, as a part of their number from 0 to 1. */
  readonly pick: number;
  /** Chooses between the two ways in which some faults come. */
  readonly isHard: boolean;
};

/** Each kind comes once in so long. */
const periodMs = 60_000;
/** The first fault comes when there is traffic, and the last while there still is. */
const calmBeginningMs = 3_000;
const calmEndMs = 9_000;

/** From the shortest to the longest, in milliseconds. A lease lapses after four seconds: pauses are longer. */
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
 * The faults of a run: a pure function of its seed and length, so that a run can be repeated. Every kind comes once a minute, in
 * an order and at times that the seed decides.
 *
 * @param durationMs how long there is traffic
 */
export function planFaults(seed: number, durationMs: number): Fault[] {
  const random = new SeededRandom(seed);
  const times = Math.max(1, Math.round(durationMs / periodMs));
  const all = Array.from({ length: times }, () => faultKinds).flat();
  const kinds = random.sample(all, all.length);
  const stepMs = (durationMs - calmBeginningMs - calmEndMs) / kinds.length;
  return kinds.map((kind, index) => {
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

/** @returns the schedule in lines, as it is printed at the beginning of a run */
export function describeFaults(faults: readonly Fault[]): string {
  return faults
    .map(
      ({ kind, atMs, durationMs, isHard }) =>
        `${(atMs / 1_000).toFixed(1).padStart(7)} s  ${kind}${isHard ? ' (hard)' : ''}${durationMs > 0 ? ` for ${(durationMs / 1_000).toFixed(1)} s` : ''}`,
    )
    .join('\n');
}
