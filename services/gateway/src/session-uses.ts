/** Notes when sessions are used, in the background: no request waits for it. */
import type { SessionAccount } from '@parley/store';

export type SessionUsesOptions = {
  readonly note: (sessionIds: readonly number[]) => Promise<void>;
  readonly onFault: (error: unknown) => void;
  readonly delayMs?: number;
};

/** Sessions that are used together are noted together. */
const defaultDelayMs = 5_000;

/** If Postgres is away, uses are forgotten above this number. Each session in use is seen again soon. */
const waitingMax = 10_000;

export class SessionUses {
  readonly #options: SessionUsesOptions;
  readonly #waiting = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SessionUsesOptions) {
    this.#options = options;
  }

  /** Notes the use of a session, if the stored time is old. */
  add({ sessionId, isUseDue }: Pick<SessionAccount, 'sessionId' | 'isUseDue'>): void {
    if (!isUseDue || this.#waiting.size >= waitingMax) return;
    this.#waiting.add(sessionId);
    this.#timer ??= setTimeout(
      () => void this.flush(),
      this.#options.delayMs ?? defaultDelayMs,
    ).unref();
  }

  /** Writes what is waiting. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const sessionIds = [...this.#waiting];
    this.#waiting.clear();
    if (sessionIds.length === 0) return;
    try {
      await this.#options.note(sessionIds);
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}
