/** Notes when sessions are used, in the background: no request waits for it. */
import type { Clock } from '@parley/clock';
import type { Logger } from '@parley/telemetry/logging';
import { GatheredRuns } from '@parley/server';
import type { SessionAccount } from '@parley/store';

export type SessionUsesOptions = {
  readonly clock: Clock;
  readonly note: (sessionIds: readonly number[]) => Promise<void>;
  readonly log: Logger;
};

/** Sessions that are used within this time are noted together. */
const gatherMs = 5_000;

/** If Postgres is slow, uses are forgotten above this number. Each session in use is seen again soon. */
const waitingMax = 10_000;

export class SessionUses {
  readonly #options: SessionUsesOptions;
  readonly #runs: GatheredRuns;
  #waiting = new Set<number>();

  constructor(options: SessionUsesOptions) {
    this.#options = options;
    const { clock, log } = options;
    const name = 'noting the use of sessions';
    this.#runs = new GatheredRuns({ clock, gatherMs, run: () => this.#note(), log, name });
  }

  /** Notes the use of a session, if the stored time is old. */
  add({ sessionId, isUseDue }: Pick<SessionAccount, 'sessionId' | 'isUseDue'>): void {
    if (!isUseDue || this.#waiting.size >= waitingMax) return;
    this.#waiting.add(sessionId);
    this.#runs.request();
  }

  /** Notes what waits. @returns whether nothing did */
  settle(): Promise<boolean> {
    return this.#runs.settle();
  }

  /** Notes what waits, and nothing after that. */
  stop(): Promise<void> {
    return this.#runs.stop();
  }

  #note(): Promise<void> {
    const sessionIds = [...this.#waiting];
    this.#waiting = new Set();
    return this.#options.note(sessionIds);
  }
}
