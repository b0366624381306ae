import type { TargetedMouseEvent } from 'preact';

/** The place in the middle of the page, from which keys go on. */
export function focusMain(): void {
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}

/** Whether somebody writes in a field: what is drawn late does not take the focus from there. */
export function isWriting(): boolean {
  return document.activeElement?.matches('input, textarea, select') ?? false;
}

/** Of a form: a press beside its fields leaves the focus, and what is selected, where it is. Keyboards of screens stay, and nothing folds. */
export function keepFocusInside(event: TargetedMouseEvent<HTMLFormElement>): void {
  const { currentTarget, target } = event;
  const isTaken = target instanceof Element && target.closest('input, textarea, .compose-preview');
  if (currentTarget.contains(document.activeElement) && !isTaken) event.preventDefault();
}

/** @returns a handler of keys that closes what they are pressed in */
export function onEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    close();
  };
}

function isFocusable(target: EventTarget): target is HTMLElement {
  return target instanceof HTMLElement && target.isConnected && target.hasAttribute('tabindex');
}

/**
 * Whoever uses the keyboard stays where they were: when what has the focus goes away (an edit that was saved, a message that somebody deleted, a
 * place that was left), what was around it has the focus.
 *
 * @returns ends it
 */
export function keepFocus(page: Node): () => void {
  let [focused, ...around]: readonly EventTarget[] = [];
  const remember = (event: Event): void => {
    [focused, ...around] = event.composedPath();
  };
  const observer = new MutationObserver(() => {
    const isLost = focused instanceof Node && !focused.isConnected;
    if (!isLost || document.activeElement !== document.body) return;
    const next = around.find(isFocusable);
    if (next === undefined) focusMain();
    else next.focus({ preventScroll: true });
  });
  observer.observe(page, { childList: true, subtree: true });
  document.addEventListener('focusin', remember);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', remember);
  };
}
