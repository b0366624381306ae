import { effect, untracked } from '@preact/signals';

import type { App } from '../data/app.ts';
import { home, parsePlace } from '../data/place.ts';
import type { Place, Position } from '../data/place.ts';
import { isNumber, isRecord } from '../data/shapes.ts';
import { isWriting } from './parts/focus.ts';

/** The id of the message that has the focus, or something in it. */
function focusedMessageId(): number | undefined {
  const id =
    document.activeElement?.closest<HTMLElement>('[data-message-id]')?.dataset['messageId'];
  return id === undefined ? undefined : Number(id);
}

/** Where the reader is at a place that the page still shows; undefined for one who is at the end of its messages. */
function positionAt(place: Place, { lists }: App): Position | undefined {
  if (place.view !== 'messages') return undefined;
  const topId = lists.open(place.narrow).readerAt;
  const selectedId = focusedMessageId();
  if (topId === undefined && selectedId === undefined) return undefined;
  const row = document.querySelector(`[data-message-id="${topId}"]`);
  const edge = row?.closest('.scroller')?.getBoundingClientRect().top ?? 0;
  return { topId, offset: row === null ? 0 : row.getBoundingClientRect().top - edge, selectedId };
}

/** The place that was opened last by pressing something. */
let pressedPlace: Place | undefined;

/**
 * Whether somebody opened a place by pressing something. Whoever did so by keys goes on by keys, and what they press is not written. What was
 * pressed may be gone when what asks for this is drawn.
 */
export function wasPressed(place: Place): boolean {
  return place === pressedPlace && !isWriting();
}

/**
 * Binds the place to the address in the browser: back, forward, reload and pasted links work by themselves, and who comes back finds the row
 * that was read.
 *
 * @returns ends it
 */
export function bindAddress(app: App): () => void {
  /** By the numbers of the browser's entries, which are above those of a page that was loaded before. */
  const positions = new Map<number, Position | undefined>();
  let lastEntry = Date.now();
  let entry = lastEntry;
  let shown: Place = home;

  const leave = (): void => {
    positions.set(entry, positionAt(shown, app));
  };
  const enterNew = (): void => {
    entry = ++lastEntry;
    history.replaceState({ entry }, '');
  };
  const follow = (): void => {
    const state: unknown = history.state;
    const known = isRecord(state) && isNumber(state['entry']) ? state['entry'] : undefined;
    if (known === undefined || !positions.has(known)) enterNew();
    else entry = known;
    const to = parsePlace(location.hash);
    app.navigate(to.view === 'messages' ? { ...to, at: positions.get(entry) } : to);
  };
  const leaveAndFollow = (): void => {
    leave();
    follow();
  };
  follow();
  addEventListener('hashchange', leaveAndFollow);
  const show = (place: Place): void => {
    const address = app.addressOf(place);
    if (address !== app.addressOf(parsePlace(location.hash))) {
      if (app.corrected.peek() === place) history.replaceState({ entry }, '', address);
      else {
        leave();
        history.pushState(undefined, '', address);
        enterNew();
      }
    }
    shown = place;
  };
  const stop = effect(() => {
    const place = app.place.value;
    const isPressed = document.activeElement?.matches(':is(a, button):not(:focus-visible)');
    pressedPlace = isPressed === true ? place : undefined;
    // Not when a name in the address changes: the event of an address that was just followed may be on its way.
    untracked(() => show(place));
  });
  return () => {
    removeEventListener('hashchange', leaveAndFollow);
    stop();
  };
}
