import type { Clock } from './clock.ts';

export type LineBounds = {
  /** The most turns at a time; with 0 a turn comes only by {@link FairLine.callNext}. */
  readonly atOnceMax: number;
  /** The most turns of one owner at a time; by default all. */
  readonly atOnceOfOwnerMax?: number;
  readonly waitingMax?: number;
  readonly waitingOfOwnerMax?: number;
};

/** Why a turn did not come: too many wait, it took too long, or whoever waited is gone. */
export type MissedTurn = 'full' | 'late' | 'gone';

/** The turn did not come. */
export class TurnMissed extends Error {
  readonly reason: MissedTurn;

  constructor(reason: MissedTurn) {
    super(`a turn was missed: ${reason}`);
    this.reason = reason;
  }
}

/** Says that whoever waits is gone; an AbortSignal is one. */
type GoneSignal = {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
};

/** How somebody waits. */
export type Wait = {
  /** Whoever waits is gone when it is aborted. */
  readonly gone?: GoneSignal;
  /** The longest wait, by default any. */
  readonly maxMs?: number;
  /** Called when the turn comes, at once. */
  readonly onTurn?: () => void;
};

/**
 * Work that waits for its turn, so that any amount of it takes only a few of something, such as connections. Owners take turns: an owner with a
 * hundred pieces of work waits with the second until every other owner's first had its turn. Nobody waits while there is room.
 */
export class FairLine<Owner> {
  readonly #clock: Clock;
  readonly #bounds: Required<LineBounds>;
  /** What begins the waiting, by owner, in the order of the next turns. */
  readonly #waitingOf = new Map<Owner, Set<() => void>>();
  readonly #runningOf = new Map<Owner, number>();
  #waiting = 0;
  #running = 0;

  constructor(clock: Clock, bounds: LineBounds) {
    this.#clock = clock;
    this.#bounds = {
      atOnceOfOwnerMax: Infinity,
      waitingMax: Infinity,
      waitingOfOwnerMax: Infinity,
      ...bounds,
    };
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether nobody has a turn or waits for one. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting === 0;
  }

  /** Whether the next of this owner would wait. */
  isBusyFor(owner: Owner): boolean {
    return this.#running >= this.#bounds.atOnceMax || !this.#mayRun(owner);
  }

  /**
   * Takes a turn, which lasts until {@link leave}.
   *
   * @returns undefined for a turn that comes at once; otherwise resolves when it comes
   * @throws TurnMissed at once, or later if the turn does not come
   */
  enter(owner: Owner, wait: Wait = {}): Promise<void> | undefined {
    if (wait.gone?.aborted === true) throw new TurnMissed('gone');
    if (!this.isBusyFor(owner)) {
      this.#begin(owner);
      wait.onTurn?.();
      return undefined;
    }
    const ofOwner = this.#waitingOf.get(owner)?.size ?? 0;
    const { waitingMax, waitingOfOwnerMax } = this.#bounds;
    if (this.#waiting >= waitingMax || ofOwner >= waitingOfOwnerMax) throw new TurnMissed('full');
    return this.#wait(owner, wait);
  }

  /** Ends a turn. */
  leave(owner: Owner): void {
    const hadRoom = this.#running < this.#bounds.atOnceMax;
    const left = (this.#runningOf.get(owner) ?? 0) - 1;
    if (left > 0) this.#runningOf.set(owner, left);
    else this.#runningOf.delete(owner);
    this.#running -= 1;
    if (this.#running >= this.#bounds.atOnceMax) return;
    // Where there was room, all others wait for turns of their own owners.
    if (hadRoom) this.#beginNextOf(owner);
    else this.callNext();
  }

  /** Gives the next a turn, also beyond the bound. @returns false if nobody waits who may have one */
  callNext(): boolean {
    const owner = this.#waitingOf.keys().find((each) => this.#mayRun(each));
    if (owner === undefined) return false;
    this.#beginNextOf(owner);
    return true;
  }

  #mayRun(owner: Owner): boolean {
    return (this.#runningOf.get(owner) ?? 0) < this.#bounds.atOnceOfOwnerMax;
  }

  #begin(owner: Owner): void {
    this.#running += 1;
    this.#runningOf.set(owner, (this.#runningOf.get(owner) ?? 0) + 1);
  }

  #beginNextOf(owner: Owner): void {
    const line = this.#waitingOf.get(owner);
    const [begin] = line ?? [];
    if (line === undefined || begin === undefined) return;
    this.#remove(owner, begin);
    // An owner with more comes after all others.
    if (this.#waitingOf.delete(owner)) this.#waitingOf.set(owner, line);
    this.#begin(owner);
    begin();
  }

  #wait(owner: Owner, { gone, maxMs, onTurn }: Wait): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      timer?.cancel();
      gone?.removeEventListener('abort', onGone);
    };
    const begin = (): void => {
      stop();
      onTurn?.();
      resolve();
    };
    const miss = (reason: MissedTurn): void => {
      this.#remove(owner, begin);
      stop();
      reject(new TurnMissed(reason));
    };
    const onGone = (): void => miss('gone');
    const timer = maxMs === undefined ? undefined : this.#clock.after(maxMs, () => miss('late'));
    gone?.addEventListener('abort', onGone);
    const line = this.#waitingOf.get(owner);
    if (line === undefined) this.#waitingOf.set(owner, new Set([begin]));
    else line.add(begin);
    this.#waiting += 1;
    return promise;
  }

  #remove(owner: Owner, begin: () => void): void {
    const line = this.#waitingOf.get(owner);
    if (line?.delete(begin) !== true) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#waitingOf.delete(owner);
  }
}
