/** What keys act on: a message, or a conversation of a list. The selected one is the one with the focus. */
const selectable = '[role="log"] [data-message-id], .conversations .conversation';

function elements(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selectable)];
}

function isInView(element: HTMLElement): boolean {
  const { top } = element.getBoundingClientRect();
  return top >= 0 && top < innerHeight;
}

function selectedOf(all: readonly HTMLElement[]): HTMLElement | undefined {
  return all.find((element) => element.contains(document.activeElement));
}

/** Selects the one after (1) or before (-1) the selected one; without one, the last that is in view. */
export function moveSelection(by: 1 | -1): void {
  const all = elements();
  const selected = selectedOf(all);
  const next = selected === undefined ? all.findLast(isInView) : all[all.indexOf(selected) + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

/** The id of the selected message, otherwise of the last one in view. */
export function selectedMessageId(): number | undefined {
  const all = elements();
  const id = (selectedOf(all) ?? all.findLast(isInView))?.dataset['messageId'];
  return id === undefined ? undefined : Number(id);
}
