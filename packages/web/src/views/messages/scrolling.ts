import { useComputed, useSignal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import type { MessageList } from '../../data/message-list.ts';
import { moveDown, moveUp, shownPartOf, windowAround } from './message-window.ts';
import type { MessageWindow, ShownPart } from './message-window.ts';
import { ScrollKeeper } from './scroll-keeper.ts';

export type Scrolling = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly part: ReadonlySignal<ShownPart>;
  /** Whether the reader is at the newest message. */
  readonly isAtEnd: ReadonlySignal<boolean>;
  /** Messages of the list below what the reader sees. */
  readonly countBelow: ReadonlySignal<number>;
  /** To be called after each scroll. */
  readonly look: () => void;
  /** Shows more at an end. */
  readonly readUp: () => void;
  readonly readDown: () => void;
  readonly showNewest: () => Promise<void>;
};

/**
 * Shows a part of a list, more of it as the reader comes to its ends, and keeps the place meanwhile.
 *
 * @param options.near the message to begin at, which gets the focus
 * @param options.firstUnreadId the message to begin at without it; otherwise the newest
 */
export function useScrolling(
  app: App,
  list: MessageList,
  options: { readonly near: number | undefined; readonly firstUnreadId: number | undefined },
): Scrolling {
  const { near, firstUnreadId } = options;
  const start = near ?? firstUnreadId;
  const scroller = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollKeeper>(undefined);
  const window = useSignal<MessageWindow>(
    start === undefined ? undefined : windowAround(list.ids.peek(), start),
  );
  const isAtEnd = useSignal(true);
  const lastSeenId = useSignal(0);
  const part = useComputed(() => shownPartOf(list.ids.value, window.value));
  const countBelow = useComputed(() => list.ids.value.filter((id) => id > lastSeenId.value).length);
  const restore = (): void => {
    if (isAtEnd.peek()) keeper.current?.showEnd();
    else keeper.current?.restore();
  };
  const look = (): void => {
    if (keeper.current === undefined) return;
    const { seenIds, isAtEnd: isAtLast } = keeper.current.hold();
    isAtEnd.value = isAtLast && part.peek().below === 0 && list.hasNewest.peek();
    // What comes at the end takes nothing away from a reader who is elsewhere.
    window.value = isAtEnd.peek() ? undefined : part.peek().ids[0];
    lastSeenId.value = seenIds.at(-1) ?? lastSeenId.peek();
    if (document.visibilityState === 'visible' && document.hasFocus()) app.reading.see(seenIds);
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const kept = new ScrollKeeper(element);
    keeper.current = kept;
    if (start === undefined) kept.showEnd();
    else {
      const row = kept.show(start);
      if (near !== undefined) row?.focus({ preventScroll: true });
    }
    look();
    const heights = new ResizeObserver(restore);
    for (const each of [element, ...element.children]) heights.observe(each);
    addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      heights.disconnect();
      removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);

  useLayoutEffect(() => {
    restore();
    look();
  }, [part.value, list.loading.value]);

  return {
    scroller,
    part,
    isAtEnd,
    countBelow,
    look,
    readUp() {
      if (part.peek().above > 0) window.value = moveUp(list.ids.peek(), part.peek());
      else void list.loadOlder();
    },
    readDown() {
      if (part.peek().below > 0) window.value = moveDown(list.ids.peek(), part.peek());
      else void list.loadNewer();
    },
    async showNewest() {
      if (!list.hasNewest.peek()) await list.load('newest');
      window.value = undefined;
      isAtEnd.value = true;
      restore();
    },
  };
}
