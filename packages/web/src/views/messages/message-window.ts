/** Which part of a list is in the page: at most this many messages, however many the list holds. */
export const shownMax = 300;

const step = 100;

/** The id of the first message shown; undefined while the reader is at the newest, which goes on with the list. */
export type MessageWindow = number | undefined;

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

export function shownPartOf(ids: readonly number[], window: MessageWindow): ShownPart {
  // A step at a time: while new messages come, those that are shown stay where they are drawn.
  const lastStart = Math.ceil(Math.max(0, ids.length - shownMax) / step) * step;
  const above = window === undefined ? lastStart : Math.min(lastStart, indexOf(ids, window));
  const shown = ids.slice(above, above + shownMax);
  return { ids: shown, above, below: ids.length - above - shown.length };
}

function windowAt(ids: readonly number[], start: number): MessageWindow {
  return ids[Math.max(0, start)];
}

/** A window that shows older messages, and lets go of as many at the other end. */
export function moveUp(ids: readonly number[], { above }: ShownPart): MessageWindow {
  return windowAt(ids, above - step);
}

export function moveDown(ids: readonly number[], { above }: ShownPart): MessageWindow {
  const start = above + step;
  return start + shownMax >= ids.length ? undefined : windowAt(ids, start);
}

/** A window with a message in its middle. */
export function windowAround(ids: readonly number[], id: number): MessageWindow {
  return windowAt(ids, indexOf(ids, id) - shownMax / 2);
}
