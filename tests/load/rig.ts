import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

import type { Pool } from '@parley/database';

import {
  addUses,
  describeUse,
  differ,
  findChildren,
  generatorsPart,
  lookAtParts,
  ownPart,
  readMemoryBytes,
} from './accounting.ts';
import type { CpuUse, Part } from './accounting.ts';
import { nowMs } from './fleet/protocol.ts';
import type { Window } from './fleet/protocol.ts';
import { untilJobsAreDone } from './jobs.ts';
import { nodeKindsOf } from './load-system.ts';
import type { LoadSystem } from './load-system.ts';
import type { Sample } from './summary.ts';
import { findWritten, readWriteCounters } from './write-counters.ts';
import type { WriteCounters, Written } from './write-counters.ts';

const mebibyte = 1_048_576;
// Time to announce a window to the generators before it begins.
const leadMs = 250;
// Node compiles frequently used code at run time, so the first warm-up of a group is longer.
const firstWarmUpFactor = 4;

/** The resources used during a measurement. */
export type Measured = {
  readonly use: CpuUse;
  readonly written: Written | undefined;
  /** Of each part, at the end. */
  readonly memoryBytes: Readonly<Record<string, number>>;
};

/** The tools of the cases: measured parts, generators, and resources to release after the cases. */
export class Rig {
  readonly secs: number;
  readonly warmUpSecs: number;
  readonly say: (text: string) => void;
  /** Whether the next measurement is the first of its group. */
  isFirst = true;
  readonly #parts: readonly Part[];
  readonly #pool: Pool | undefined;
  readonly #generators: (() => readonly number[])[] = [];
  readonly #disposal = new AsyncDisposableStack();

  /** @param options.parts the parts to measure, in addition to the generators */
  constructor(options: {
    readonly parts: readonly Part[];
    readonly pool: Pool | undefined;
    readonly secs: number;
    readonly warmUpSecs: number;
    readonly say: (text: string) => void;
  }) {
    this.secs = options.secs;
    this.warmUpSecs = options.warmUpSecs;
    this.say = options.say;
    this.#pool = options.pool;
    this.#parts = [
      ...options.parts,
      { name: generatorsPart, pids: () => this.#generatorPids() },
      // This process also samples the others; a control's program that has ended is counted nowhere else.
      { name: ownPart, pids: () => [process.pid], children: 'ended' },
    ];
  }

  /** A rig for measuring a control instead of the system, with the same generators. */
  forParts(parts: readonly Part[]): Rig {
    const rig = new Rig({
      parts,
      pool: undefined,
      secs: this.secs,
      warmUpSecs: this.warmUpSecs,
      say: this.say,
    });
    rig.#generators.push(() => this.#generatorPids());
    return rig;
  }

  /** Counts these processes as generators, and stops them after the cases. */
  addGenerators<Item extends { readonly pids: readonly number[]; readonly stop: () => void }>(
    generators: Item,
  ): Item {
    this.#generators.push(() => generators.pids);
    this.defer(() => generators.stop());
    return generators;
  }

  /** Runs something after the cases, in reverse order. */
  defer(act: () => void | Promise<void>): void {
    this.#disposal.defer(act);
  }

  /** @returns the window of the next measurement, which begins after a warm-up from now */
  planWindow(secs = this.secs): Window {
    const warmUpSecs = this.warmUpSecs * (this.isFirst ? firstWarmUpFactor : 1);
    const fromMs = nowMs() + leadMs + warmUpSecs * 1_000;
    return { fromMs, toMs: fromMs + secs * 1_000 };
  }

  /** Waits for a window and measures it. */
  async measureWindow(window: Window): Promise<Measured> {
    await pause(Math.max(0, window.fromMs - nowMs()));
    return this.measureAround(() => pause(Math.max(0, window.toMs - nowMs())));
  }

  /**
   * Waits for a window after which nothing is sent, and measures it together with what the jobs have to do for it afterwards.
   *
   * @throws Error if they do not come to an end
   */
  async measureSends(window: Window): Promise<Measured & { readonly jobsMs: number }> {
    await pause(Math.max(0, window.fromMs - nowMs()));
    let jobsMs = 0;
    const measured = await this.measureAround(async () => {
      await pause(Math.max(0, window.toMs - nowMs()));
      if (this.#pool !== undefined) jobsMs = await untilJobsAreDone(this.#pool);
    });
    return { ...measured, jobsMs };
  }

  /** Measures from the start to the end of some work. */
  async measureAround(work: () => Promise<unknown>): Promise<Measured> {
    const countersBefore = await this.#readCounters();
    const before = await lookAtParts(this.#parts, nowMs());
    await work();
    const after = await lookAtParts(this.#parts, nowMs());
    const countersAfter = await this.#readCounters();
    return {
      use: differ(before, after),
      written:
        countersBefore === undefined || countersAfter === undefined
          ? undefined
          : findWritten(countersBefore, countersAfter),
      memoryBytes: await this.#readMemory(),
    };
  }

  async dispose(): Promise<void> {
    await this.#disposal.disposeAsync();
  }

  #generatorPids(): readonly number[] {
    return this.#generators.flatMap((pids) => pids());
  }

  #readCounters(): Promise<WriteCounters | undefined> {
    return this.#pool === undefined ? Promise.resolve(undefined) : readWriteCounters(this.#pool);
  }

  async #readMemory(): Promise<Readonly<Record<string, number>>> {
    const read = this.#parts.map(async ({ name, pids, children }) => {
      const all = await Promise.all(
        pids().map(async (pid) => [pid, ...(children === 'all' ? await findChildren(pid) : [])]),
      );
      const bytes = await Promise.all(all.flat().map(readMemoryBytes));
      return [name, bytes.reduce((sum, value) => sum + value, 0)] as const;
    });
    return Object.fromEntries(await Promise.all(read));
  }
}

/** The services and stores of a system. */
export function findParts(system: LoadSystem): readonly Part[] {
  const { cluster, stores } = system;
  const services = nodeKindsOf(cluster).map((name): Part => ({
    name,
    pids: () => cluster.processes.filter(({ service }) => service === name).map(({ pid }) => pid),
  }));
  return [
    ...services,
    { name: 'postgres', pids: () => [stores.postgres.pid], children: 'all' },
    { name: 'redis', pids: () => [stores.redis.pid] },
  ];
}

/** @returns all figures of resources, per operation */
export function describeMeasured(
  measured: Measured,
  operations: number,
  operation: string,
): Sample {
  const figures: Record<string, number> = {
    ...describeUse(measured.use, operations, operation, availableParallelism()),
  };
  const { written } = measured;
  if (written !== undefined && operations > 0) {
    figures[`rows_per_${operation}`] = written.rows / operations;
    figures[`wal_bytes_per_${operation}`] = written.walBytes / operations;
  }
  for (const [name, bytes] of Object.entries(measured.memoryBytes))
    if (name !== generatorsPart && name !== ownPart)
      figures[`memory_${name}_mib`] = bytes / mebibyte;
  return figures;
}

/** Combines several measurements: usage is added, and memory is that of the last. */
export function joinMeasured(all: readonly Measured[]): Measured {
  const written = all.flatMap((measured) => measured.written ?? []);
  return {
    use: addUses(all.map(({ use }) => use)),
    written:
      written.length === 0
        ? undefined
        : {
            rows: written.reduce((sum, { rows }) => sum + rows, 0),
            walBytes: written.reduce((sum, { walBytes }) => sum + walBytes, 0),
          },
    memoryBytes: all.at(-1)?.memoryBytes ?? {},
  };
}
