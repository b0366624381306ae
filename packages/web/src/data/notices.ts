/** Short notices of what was done or did not work, which go away by themselves. */
import { signal } from '@preact/signals';

import { describeFailure } from './failure.ts';

export type Notice = {
  readonly id: number;
  readonly kind: 'success' | 'failure';
  readonly text: string;
};

/** Notices at once; the oldest goes for another. */
const noticesMax = 4;

/** Failures stay longer: they say more. */
const shownMs = { success: 4_000, failure: 10_000 } as const;

export const notices = signal<readonly Notice[]>([]);
let lastId = 0;

export function notify(text: string, kind: Notice['kind'] = 'success'): void {
  const id = ++lastId;
  notices.value = [...notices.value, { id, kind, text }].slice(-noticesMax);
  setTimeout(() => dismissNotice(id), shownMs[kind]);
}

export function dismissNotice(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/**
 * Does something for the person and says how it ended.
 *
 * @param success what to say when it was done; without it success is silent
 */
export function report(work: Promise<unknown>, success?: string): void {
  work.then(
    () => {
      if (success !== undefined) notify(success);
    },
    (failure: unknown) => notify(describeFailure(failure), 'failure'),
  );
}
