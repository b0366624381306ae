/**
 * Of all tabs of a browser one tells of a message: the one that the person looked at last, since it knows whether they see the message. It holds
 * a lock, which another tab takes when it gets the focus, or receives when that one is closed.
 *
 * @param userId tabs of other accounts tell for themselves
 * @returns whether it is this tab, and what is resolved when the browser has decided that for the first time
 */
export function joinNotifyingTabs(userId: number, signal: AbortSignal) {
  // Without locks every tab tells; the browser shows what has the same tag once.
  if (navigator.locks === undefined) return { isThisOne: () => true, decided: Promise.resolve() };
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let held: LockOptions | undefined;
  const request = async (options: LockOptions): Promise<void> => {
    let wasHeld = false;
    try {
      await navigator.locks.request(`parley/notifying/${userId}`, options, () => {
        wasHeld = true;
        held = options;
        return ended;
      });
    } catch {
      // A tab with the focus took the lock, which may be this one: then it holds it by another request.
      if (held === options) held = undefined;
      if (wasHeld && options.steal !== true && !signal.aborted) void request(options);
    }
  };
  const take = (): void => {
    if (held === undefined) void request({ steal: true });
  };
  // This one waits whenever it does not hold the lock, for the tab that does to be closed.
  void request({ signal });
  if (document.hasFocus()) take();
  window.addEventListener('focus', take, { signal });
  // Answered after the requests above.
  const decided = navigator.locks.query().catch(() => undefined);
  return { isThisOne: () => held !== undefined, decided };
}
