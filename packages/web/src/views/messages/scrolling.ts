import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import type { MessageList } from '../../data/message-list.ts';
import { isSearch } from '../../data/narrow.ts';
import { startOf } from '../../data/place.ts';
import type { MessagesPlace } from '../../data/place.ts';
import { ScrollKeeper } from './scroll-keeper.ts';

/**
 * Keeps the place of a reader while a list changes.
 *
 * @param options.place says at which message to begin, and which gets the focus
 * @param options.firstUnreadId the message to begin at without one; otherwise the newest
 * @returns what the element of the list needs, whether the reader is at the newest message, and how many messages are below what the reader sees
 */
export function useScrolling(
  app: App,
  list: MessageList,
  options: { readonly place: MessagesPlace; readonly firstUnreadId: number | undefined },
) {
  const { place, firstUnreadId } = options;
  const start = startOf(place) ?? firstUnreadId;
  const selectedId = place.at === undefined ? place.near : place.at.selectedId;
  const marksRead = !isSearch(list.narrow);
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
    if (marksRead && document.visibilityState === 'visible' && document.hasFocus())
      app.reading.see(seenIds);
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const kept = new ScrollKeeper(element);
    keeper.current = kept;
    if (start === undefined) kept.showEnd();
    else {
      const row = kept.show(start, place.at?.topId === undefined ? undefined : place.at.offset);
      if (selectedId === start) row?.focus({ preventScroll: true });
      else if (selectedId !== undefined) kept.find(selectedId)?.focus({ preventScroll: true });
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
