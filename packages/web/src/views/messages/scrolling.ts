import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import type { MessageList } from '../../data/message-list.ts';
import { ScrollKeeper } from './scroll-keeper.ts';

/**
 * Keeps the place of a reader while a list changes.
 *
 * @param options.near the message to begin at, which gets the focus
 * @param options.firstUnreadId the message to begin at without it; otherwise the newest
 * @returns what the element of the list needs, whether the reader is at the newest message, and how many messages are below what the reader sees
 */
export function useScrolling(
  app: App,
  list: MessageList,
  options: { readonly near: number | undefined; readonly firstUnreadId: number | undefined },
) {
  const { near, firstUnreadId } = options;
  const start = near ?? firstUnreadId;
  const scroller = useRef<HTMLDivElement>(null);
  const keeper = useRef<ScrollKeeper>(undefined);
  const isAtEnd = useSignal(true);
  const lastSeenId = useSignal(0);
  const countBelow = useComputed(() => list.ids.value.filter((id) => id > lastSeenId.value).length);
  const restore = (): void => {
    if (isAtEnd.peek()) keeper.current?.showEnd();
    else keeper.current?.restore();
  };
  const look = (): void => {
    if (keeper.current === undefined) return;
    const { heldId, seenIds, isAtEnd: isAtLast } = keeper.current.hold();
    isAtEnd.value = isAtLast && list.hasNewest.peek();
    list.readerAt = isAtEnd.peek() ? undefined : heldId;
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
      list.readerAt = undefined;
      heights.disconnect();
      removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);

  useLayoutEffect(() => {
    restore();
    look();
  }, [list.ids.value, list.loading.value]);

  return {
    scroller,
    isAtEnd,
    countBelow,
    /** To be called after each scroll. */
    look,
    async showNewest() {
      if (!list.hasNewest.peek()) await list.load('newest');
      isAtEnd.value = true;
      restore();
    },
  };
}
