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

/**
 * Reports that the person is here until the signal ends it.
 *
 * @returns to be called whenever the person does something; one who comes back is reported at once
 */
export function reportPresence(client: Requests, tabs: Tabs, ending: AbortSignal): () => void {
  let inputAtMs = Date.now();
  let hadInput = true;
  const isIdle = (): boolean => Date.now() - inputAtMs >= idleAfterMs;
  const report = async (): Promise<void> => {
    if (!tabs.isLeader) return;
    const new_user_input = hadInput;
    hadInput = false;
    const status = isIdle() ? 'idle' : 'active';
    try {
      const { presences } = await client.request(
        'POST /users/me/presence',
        { status, new_user_input },
        { repeatsMax: 0 },
      );
      if (presences !== undefined)
        tabs.share({ reported: reportsOf(presences), nowSecs: Date.now() / 1000 });
    } catch {
      // The next report says the same.
    }
  };
  void report();
  const reporting = setInterval(() => void report(), reportMs);
  ending.addEventListener('abort', () => clearInterval(reporting));
  return () => {
    const wasIdle = isIdle();
    inputAtMs = Date.now();
    hadInput = true;
    if (wasIdle) void report();
  };
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
