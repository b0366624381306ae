/** Reporting that the person is here, and learning who else is. */
import type { Requests } from '@parley/client';

import { reportsOf } from './state.ts';
import type { Report } from './state.ts';

/** Clients report about every minute (reference facts, events 15.2). */
const reportMs = 60_000;

/** Without a key or a pointer for this long, the person is idle. */
const idleAfterMs = 5 * 60_000;

export class Presence {
  readonly #client: Requests;
  readonly #onReports: (reports: ReadonlyMap<string, Report>) => void;
  readonly #mayReport: () => boolean;
  #inputAtMs = Date.now();
  #hadInput = true;

  /**
   * @param options.mayReport whether this tab speaks for all tabs of the browser
   * @param options.onReports called with the newest report of everybody
   */
  constructor(
    client: Requests,
    options: {
      readonly signal: AbortSignal;
      readonly mayReport: () => boolean;
      readonly onReports: (reports: ReadonlyMap<string, Report>) => void;
    },
  ) {
    this.#client = client;
    this.#onReports = options.onReports;
    this.#mayReport = options.mayReport;
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
    if (!this.#mayReport()) return;
    const new_user_input = this.#hadInput;
    this.#hadInput = false;
    const status = this.#isIdle ? 'idle' : 'active';
    try {
      const { presences } = await this.#client.request(
        'POST /users/me/presence',
        { status, new_user_input },
        { repeatsMax: 0 },
      );
      if (presences !== undefined) this.#onReports(reportsOf(presences));
    } catch {
      // The next report says the same.
    }
  }
}
