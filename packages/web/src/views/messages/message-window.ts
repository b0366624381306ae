/** Which part of a list is in the page: at most this many messages, however many the list holds. */
export const shownMax = 300;

const step = 100;

export type MessageWindow = {
  /** Ids of the first and the last message shown; undefined at an end that follows the list's own. */
  readonly firstId: number | undefined;
  readonly lastId: number | undefined;
};

export const wholeWindow: MessageWindow = { firstId: undefined, lastId: undefined };

export type ShownPart = {
  readonly ids: readonly number[];
  /** How many messages of the list are above and below. */
  readonly above: number;
  readonly below: number;
};

/** Where an id stands, or would stand. */
function indexOf(ids: readonly number[], id: number): number {
  const index = ids.findIndex((each) => each >= id);
  return index === -1 ? ids.length : index;
}

export function shownPartOf(ids: readonly number[], { firstId, lastId }: MessageWindow): ShownPart {
  const end = lastId === undefined ? ids.length : indexOf(ids, lastId + 1);
  const from = Math.min(end, firstId === undefined ? 0 : indexOf(ids, firstId));
  // At the newest message the window goes on with the list, and lets go of the oldest.
  const start = lastId === undefined ? Math.max(from, end - shownMax) : from;
  return {
    ids: ids.slice(start, Math.min(end, start + shownMax)),
    above: start,
    below: ids.length - Math.min(end, start + shownMax),
  };
}

/** A window that shows older messages, and lets go of as many at the other end. */
export function moveUp(ids: readonly number[], part: ShownPart): MessageWindow {
  const start = Math.max(0, part.above - step);
  const end = Math.min(ids.length, start + shownMax);
  return { firstId: ids[start], lastId: end === ids.length ? undefined : ids[end - 1] };
}

export function moveDown(ids: readonly number[], part: ShownPart): MessageWindow {
  const end = Math.min(ids.length, part.above + part.ids.length + step);
  const start = Math.max(0, end - shownMax);
  return { firstId: ids[start], lastId: end === ids.length ? undefined : ids[end - 1] };
}

/** A window with a message in its middle. */
export function windowAround(ids: readonly number[], id: number): MessageWindow {
  const start = Math.max(0, indexOf(ids, id) - shownMax / 2);
  const end = Math.min(ids.length, start + shownMax);
  return { firstId: ids[start], lastId: end === ids.length ? undefined : ids[end - 1] };
}
