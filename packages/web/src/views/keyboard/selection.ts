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

function select(element: HTMLElement | undefined): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest' });
}

/**
 * Selects the one after (1) or before (-1) the selected one; without one, the last message that is in view, or the first conversation of a
 * list.
 */
export function moveSelection(by: 1 | -1): void {
  const { all, selected, lastInView } = findSelectable();
  const first = lastInView?.dataset['messageId'] === undefined ? all[0] : lastInView;
  select(selected === undefined ? first : all[all.indexOf(selected) + by]);
}

/** Selects what is after the selected one, or before it if it is the last: for when that goes away. */
export function selectNeighbour(): void {
  const { all, selected } = findSelectable();
  const at = selected === undefined ? -1 : all.indexOf(selected);
  select(all[at + 1] ?? all[at - 1]);
}

/** The fragment of the address that the selected conversation of a list leads to. */
export function selectedAddress(): string | undefined {
  const { selected } = findSelectable();
  return selected instanceof HTMLAnchorElement ? selected.hash : undefined;
}

/** The id of the selected message, otherwise of the last one in view. */
export function selectedMessageId(): number | undefined {
  const { selected, lastInView } = findSelectable();
  const id = (selected ?? lastInView)?.dataset['messageId'];
  return id === undefined ? undefined : Number(id);
}
