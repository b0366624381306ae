/**
 * Of all tabs of a browser one tells of a message: the one that the person looked at last, since it knows whether they see the message. It holds
 * a lock, which another tab takes when it gets the focus, or receives when that one is closed.
 */
export class NotifyingTab {
  readonly #lock: string;
  readonly #signal: AbortSignal;
  #isHeld = false;
  #isWaiting = false;

  /** @param userId tabs of other accounts tell for themselves */
  constructor(userId: number, signal: AbortSignal) {
    this.#lock = `parley/notifying/${userId}`;
    this.#signal = signal;
    // Without locks every tab tells; the browser shows what has the same tag once.
    if (navigator.locks === undefined) {
      this.#isHeld = true;
      return;
    }
    this.#wait();
    if (document.hasFocus()) this.#take();
    window.addEventListener('focus', () => this.#take(), { signal });
  }

  get isThisOne(): boolean {
    return this.#isHeld;
  }

  #take(): void {
    if (!this.#isHeld)
      navigator.locks.request(this.#lock, { steal: true }, () => this.#hold()).catch(this.#onLost);
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const onGranted = (): Promise<void> => {
      this.#isWaiting = false;
      return this.#hold();
    };
    navigator.locks.request(this.#lock, { signal: this.#signal }, onGranted).catch(this.#onLost);
  }

  #hold(): Promise<void> {
    this.#isHeld = true;
    return new Promise((resolve) => {
      if (this.#signal.aborted) resolve();
      else this.#signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  readonly #onLost = (): void => {
    this.#isHeld = false;
    if (!this.#signal.aborted) this.#wait();
  };
}
