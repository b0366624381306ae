/** Notes when sessions are used, in the background: no request waits for it. */
import type { Clock, Timer } from '@parley/clock';
import type { SessionAccount } from '@parley/store';

export type SessionUsesOptions = {
  readonly clock: Clock;
  readonly note: (sessionIds: readonly number[]) => Promise<void>;
  readonly onFault: (error: unknown) => void;
};

/** Sessions that are used together are noted together. */
const delayMs = 5_000;

/** If Postgres is away, uses are forgotten above this number. Each session in use is seen again soon. */
const waitingMax = 10_000;

export class SessionUses {
  readonly #options: SessionUsesOptions;
  readonly #waiting = new Set<number>();
  #timer: Timer | undefined;
  /** Running writes. */
  #writing = 0;

  constructor(options: SessionUsesOptions) {
    this.#options = options;
  }

  /** Notes the use of a session, if the stored time is old. */
  add({ sessionId, isUseDue }: Pick<SessionAccount, 'sessionId' | 'isUseDue'>): void {
    if (!isUseDue || this.#waiting.size >= waitingMax) return;
    this.#waiting.add(sessionId);
    this.#timer ??= this.#options.clock.after(delayMs, () => void this.flush()).unref();
  }

  /** Writes what is waiting. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const sessionIds = [...this.#waiting];
    this.#waiting.clear();
    if (sessionIds.length === 0) return;
    this.#writing += 1;
    try {
      await this.#options.note(sessionIds);
    } catch (error) {
      this.#options.onFault(error);
    } finally {
      this.#writing -= 1;
    }
  }

  /** Writes what is waiting. @returns whether nothing was, and nothing is being written */
  async settle(): Promise<boolean> {
    const isSettled = this.#waiting.size === 0 && this.#writing === 0;
    await this.flush();
    return isSettled;
  }
}
