/** Reporting that the person is here, and learning who else is. */
import type { Requests } from '@parley/client';

import { reportsOf } from './state.ts';
import type { Known } from './state.ts';

/** Clients report about every minute (reference facts, events 15.2). */
const reportMs = 60_000;

/** Without a key or a pointer for this long, the person is idle. */
const idleAfterMs = 5 * 60_000;

export type PresenceOptions = {
  readonly signal: AbortSignal;
  /** Whether this tab speaks for all tabs of the browser. */
  readonly mayReport: () => boolean;
  /** Called with the newest report of everybody. */
  readonly onReports: (reports: Known['reported']) => void;
};

export class Presence {
  readonly #client: Requests;
  readonly #options: PresenceOptions;
  #inputAtMs = Date.now();
  #hadInput = true;

  constructor(client: Requests, options: PresenceOptions) {
    this.#client = client;
    this.#options = options;
    void this.#report();
    const reporting = setInterval(() => void this.#report(), reportMs);
    options.signal.addEventListener('abort', () => clearInterval(reporting));
  }

  /** The person did something; one who comes back is reported at once. */
  noteInput(): void {
    const wasIdle = this.#isIdle;
    this.#inputAtMs = Date.now();
    this.#hadInput = true;
    if (wasIdle) void this.#report();
  }

  get #isIdle(): boolean {
    return Date.now() - this.#inputAtMs >= idleAfterMs;
  }

  async #report(): Promise<void> {
    if (!this.#options.mayReport()) return;
    const new_user_input = this.#hadInput;
    this.#hadInput = false;
    const status = this.#isIdle ? 'idle' : 'active';
    try {
      const { presences } = await this.#client.request(
        'POST /users/me/presence',
        { status, new_user_input },
        { repeatsMax: 0 },
      );
      if (presences !== undefined) this.#options.onReports(reportsOf(presences));
    } catch {
      // The next report says the same.
    }
  }
}
