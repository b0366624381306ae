/**
 * Of all tabs of a browser one tells of a message: the one that the person looked at last, since it knows whether they see the message. It holds
 * a lock, which another tab takes when it gets the focus, or receives when that one is closed.
 */
export class NotifyingTab {
  readonly #lock: string;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<void>;
  /** Resolved when the browser has decided for the first time which tab it is. */
  readonly decided: Promise<unknown>;
  /** The request that the lock was given to. */
  #held: LockOptions | undefined;
  #isWaiting = false;

  /** @param userId tabs of other accounts tell for themselves */
  constructor(userId: number, signal: AbortSignal) {
    this.#lock = `parley/notifying/${userId}`;
    this.#signal = signal;
    this.#ended = new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    // Without locks every tab tells; the browser shows what has the same tag once.
    if (navigator.locks === undefined) {
      this.#held = {};
      this.decided = Promise.resolve();
      return;
    }
    this.#wait();
    if (document.hasFocus()) this.#take();
    // Answered after the requests above.
    this.decided = navigator.locks.query().catch(() => undefined);
    window.addEventListener('focus', () => this.#take(), { signal });
  }

  get isThisOne(): boolean {
    return this.#held !== undefined;
  }

  #take(): void {
    if (!this.isThisOne) void this.#request({ steal: true });
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#request({ signal: this.#signal });
  }

  async #request(request: LockOptions): Promise<void> {
    try {
      await navigator.locks.request(this.#lock, request, () => {
        if (request.steal !== true) this.#isWaiting = false;
        this.#held = request;
        return this.#ended;
      });
    } catch {
      // The tab may have taken the lock from itself.
      if (this.#held !== request) return;
      this.#held = undefined;
      if (!this.#signal.aborted) this.#wait();
    }
  }
}
