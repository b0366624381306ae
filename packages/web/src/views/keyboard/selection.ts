/** What keys act on: a message, or a conversation of a list. The selected one is the one with the focus. */
const selectable = '[role="log"] [data-message-id], .conversations .conversation';

function isInView(element: HTMLElement): boolean {
  const { top } = element.getBoundingClientRect();
  return top >= 0 && top < innerHeight;
}

function findSelectable() {
  const all = [...document.querySelectorAll<HTMLElement>(selectable)];
  const selected = all.find((element) => element.contains(document.activeElement));
  return { all, selected, lastInView: all.findLast(isInView) };
}

/** Selects the one after (1) or before (-1) the selected one; without one, the last that is in view. */
export function moveSelection(by: 1 | -1): void {
  const { all, selected, lastInView } = findSelectable();
  const next = selected === undefined ? lastInView : all[all.indexOf(selected) + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

/** The id of the selected message, otherwise of the last one in view. */
export function selectedMessageId(): number | undefined {
  const { selected, lastInView } = findSelectable();
  const id = (selected ?? lastInView)?.dataset['messageId'];
  return id === undefined ? undefined : Number(id);
}
