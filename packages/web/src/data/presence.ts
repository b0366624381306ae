/** Who is here: reporting that the person is, and learning who else is. */
import type { Requests } from '@parley/client';

import type { SharedEvents } from './shared-events.ts';
import { reportsOf } from './state.ts';
import type { Known, State } from './state.ts';

/** Clients report about every minute (reference facts, events 15.2). */
const reportMs = 60_000;

/** Without a key or a pointer for this long, the person is idle. */
const idleAfterMs = 5 * 60_000;

/** One tab speaks for all of the browser, and tells them what it learns. */
type Tabs = Pick<SharedEvents<Known>, 'isLeader' | 'share'>;

export class Presence {
  readonly #client: Requests;
  readonly #tabs: Tabs;
  #inputAtMs = Date.now();
  #hadInput = true;

  /** @param ending ends reporting */
  constructor(client: Requests, tabs: Tabs, ending: AbortSignal) {
    this.#client = client;
    this.#tabs = tabs;
    void this.#report();
    const reporting = setInterval(() => void this.#report(), reportMs);
    ending.addEventListener('abort', () => clearInterval(reporting));
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
    if (!this.#tabs.isLeader) return;
    const new_user_input = this.#hadInput;
    this.#hadInput = false;
    const status = this.#isIdle ? 'idle' : 'active';
    try {
      const { presences } = await this.#client.request(
        'POST /users/me/presence',
        { status, new_user_input },
        { repeatsMax: 0 },
      );
      if (presences !== undefined)
        this.#tabs.share({ reported: reportsOf(presences), nowSecs: Date.now() / 1000 });
    } catch {
      // The next report says the same.
    }
  }
}

/** A report older than this means offline: people report every minute. */
const offlineAfterSecs = 140;

/** Away is what people say of themselves; the rest is what their clients report. */
export type Availability = 'active' | 'idle' | 'away' | 'offline';

/** Whether somebody is here now. */
export function availabilityOf(
  { people, reported, statuses, nowSecs }: State,
  userId: number,
): Availability {
  if (statuses.value.get(userId)?.away === true) return 'away';
  const report = reported.value.get(people.value.get(userId)?.email ?? '');
  const isRecent = report && nowSecs.value - report.timestamp < offlineAfterSecs;
  return isRecent ? report.status : 'offline';
}
