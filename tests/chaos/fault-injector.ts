import { setTimeout as pause } from 'node:timers/promises';

import { waitUntil } from '@parley/test-kit';
import type { FaultProxy, HeldBytes, ServiceName, ServiceProcess } from '@parley/test-kit';

import type { ChaosSystem, Slot } from './chaos-system.ts';
import type { Fault, FaultKind } from './fault-schedule.ts';
import type { Journal } from './journal.ts';

const slowMs = 60;
const noticedWithinMs = 1_000;
/** How long another event node lags before and after an event node is killed. */
const behindMs = 1_500;
/** The added delay of a query of the log in each direction: more than the time between two messages. */
const behindByMs = 200;
/** A fault waits for those before it on the same process or store, and on a busy machine a process takes long to start again. */
const freeDeadlineMs = 180_000;

/** Executes a schedule of faults. Several run at a time, but only one for each process or store. */
export class FaultInjector {
  /** How many faults of each kind were completed. */
  readonly counts = new Map<FaultKind, number>();
  /** Failures of the system itself: a process that did not drain, or could not be started again. */
  readonly failures: string[] = [];
  readonly #system: ChaosSystem;
  readonly #journal: Journal;
  #redis: Promise<void> = Promise.resolve();
  #postgres: Promise<void> = Promise.resolve();

  constructor(system: ChaosSystem, journal: Journal) {
    this.#system = system;
    this.#journal = journal;
  }

  /** Executes all faults, each at its time from now. @param onBegin called when a fault begins */
  async run(faults: readonly Fault[], onBegin: (fault: Fault) => void): Promise<void> {
    await Promise.all(
      faults.map(async (fault) => {
        await pause(fault.atMs);
        try {
          onBegin(fault);
          await this.#carryOut(fault);
          this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
        } catch (error) {
          this.failures.push(`${fault.kind}: ${(error as Error).message}`);
        }
      }),
    );
  }

  /** Cuts all connections to Redis until the returned function is called. */
  cutRedis(): () => void {
    const releases = this.#system.slots.map(({ redis }) => hold(redis));
    return () => {
      for (const release of releases) release(false);
    };
  }

  async #carryOut(fault: Fault): Promise<void> {
    const { slots } = this.#system;
    switch (fault.kind) {
      case 'redis-crash':
      case 'redis-wipe':
        return this.#onRedis(() => this.#restartRedis(fault));
      case 'redis-cut':
        return this.#onRedis(async () => {
          const releases = slots.map(({ redis }) => hold(redis));
          await pause(fault.durationMs);
          for (const release of releases) release(fault.isHard);
        });
      case 'postgres-restart':
        return this.#onPostgres(async () => {
          const { postgres } = this.#system.stores;
          await postgres.end(fault.isHard ? 'SIGQUIT' : 'SIGINT');
          await pause(fault.durationMs);
          await postgres.startAgain();
        });
      case 'drop-clients':
        for (const { front } of slots) front?.cut();
        return undefined;
      case 'drop-services':
        return this.#losing(async () => {
          for (const { reached } of slots) reached?.cut();
        });
      case 'drop-stores':
        for (const { postgres, redis } of slots) {
          postgres.cut();
          redis.cut();
        }
        return undefined;
      case 'postgres-cut':
        return this.#onSlot(slots, fault, async ({ postgres }) => {
          await this.#losing(async () => {
            const release = hold(postgres);
            await pause(fault.durationMs);
            release(fault.isHard);
          });
        });
      case 'postgres-slow':
        return this.#onSlot(this.#system.slotsOf('messages'), fault, async ({ postgres }) => {
          postgres.delay(slowMs);
          await pause(fault.durationMs);
          postgres.delay(0);
        });
      default:
        return this.#hitProcess(fault, fault.kind);
    }
  }

  async #hitProcess(
    fault: Fault,
    kind: Extract<FaultKind, `${'kill' | 'pause' | 'drain'}-${ServiceName}`>,
  ): Promise<void> {
    const [what, service] = kind.split('-') as [string, ServiceName];
    await this.#onSlot(this.#system.slotsOf(service), fault, async (slot) => {
      const { process } = slot;
      if (process === undefined) throw new Error(`${service} has no process`);
      if (what === 'pause') {
        // When the lease lapses gateways repeat pending requests, and the process executes them too when it resumes.
        await this.#losing(async () => {
          process.signal('SIGSTOP');
          await pause(fault.durationMs);
          process.signal('SIGCONT');
        });
      } else if (what === 'kill') {
        if (service === 'events') await this.#killBesideOneBehind(process);
        else await this.#losing(() => process.kill('SIGKILL'));
        await this.#system.startProcess(slot);
      } else if (fault.isHard) {
        try {
          await drain(process);
        } finally {
          await this.#system.startProcess(slot);
        }
      } else {
        // A rolling deploy: the new process starts before the old one stops.
        await this.#system.startProcess(slot);
        await drain(process);
      }
    });
  }

  /**
   * Kills an event node while another gets nothing from Redis and has a slow connection to Postgres. Clients continue there at
   * once,
   * although it is behind what they have seen.
   */
  async #killBesideOneBehind(process: ServiceProcess): Promise<void> {
    const other = this.#system.slotsOf('events').find(({ isInFault }) => !isInFault);
    if (other === undefined) {
      await this.#losing(() => process.kill('SIGKILL'));
      return;
    }
    other.isInFault = true;
    const release = hold(other.redis);
    other.postgres.delay(behindByMs);
    try {
      await pause(behindMs);
      await this.#losing(() => process.kill('SIGKILL'));
      await pause(behindMs);
    } finally {
      other.postgres.delay(0);
      release(false);
      other.isInFault = false;
    }
  }

  /** Records the period in which gateways may notice that pending requests are lost. */
  async #losing(work: () => Promise<unknown>): Promise<void> {
    const fromMs = performance.now();
    await work();
    this.#journal.losses.push({ fromMs, toMs: performance.now() + noticedWithinMs });
  }

  async #restartRedis(fault: Fault): Promise<void> {
    const { stores } = this.#system;
    await stores.redis.end('SIGKILL');
    if (fault.kind === 'redis-wipe') await stores.wipeRedis();
    await pause(fault.durationMs);
    await stores.redis.startAgain();
  }

  async #onSlot(
    among: readonly Slot[],
    fault: Fault,
    work: (slot: Slot) => Promise<void>,
  ): Promise<void> {
    const slot = await waitUntil(
      `a process is free for ${fault.kind}`,
      () => {
        const free = among.filter(({ isInFault }) => !isInFault);
        return free[Math.floor(fault.pick * free.length)];
      },
      { deadlineMs: freeDeadlineMs, pauseMs: 100 },
    );
    slot.isInFault = true;
    try {
      await work(slot);
    } finally {
      slot.isInFault = false;
    }
  }

  async #onRedis(work: () => Promise<void>): Promise<void> {
    const done = this.#redis.then(work);
    this.#redis = done.catch(() => undefined);
    return done;
  }

  async #onPostgres(work: () => Promise<void>): Promise<void> {
    const done = this.#postgres.then(work);
    this.#postgres = done.catch(() => undefined);
    return done;
  }
}

/** @throws Error with its output if it does not end in good order */
async function drain(process: ServiceProcess): Promise<void> {
  const { code } = await process.kill('SIGTERM');
  if (code !== 0)
    throw new Error(
      `${process.describe()} ended with code ${code} when drained: ${process.describeOutput()}`,
    );
}

/** Holds back all bytes in both directions. @returns a function that ends this with a reset or with late delivery */
function hold(proxy: FaultProxy): (isHard: boolean) => void {
  const held: HeldBytes[] = [proxy.holdBack('to-server'), proxy.holdBack('to-client')];
  return (isHard) => {
    if (isHard) proxy.cut();
    for (const bytes of held) bytes.release();
  };
}
