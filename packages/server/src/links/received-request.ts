/** A request as its node gets it, by whichever link. */
import type { LinkAnswer, LinkedRequest } from './protocol.ts';

/**
 * The part of an AbortSignal that a request needs, small because a node holds thousands of polls, together with the rest that a gateway
 * says about the request.
 */
export class RequestSignal {
  /** The number of the flush that sends its latest part of a stream. */
  flush = 0;
  #aborted = false;
  #listener: (() => void) | undefined;
  #onTaken: (() => void) | undefined;
  #onTakenOrAborted: (() => void) | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Keeps one listener, because a request waits for one thing at a time. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener !== undefined) throw new Error('a request waits for one thing at a time');
    this.#listener = listener;
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  abort(): void {
    this.#aborted = true;
    this.#listener?.();
    this.#onTakenOrAborted?.();
  }

  /** Must be called before a step of a stream is sent. @param listener called once when the client has taken the step */
  whenTaken(listener: () => void): void {
    this.#onTaken = listener;
  }

  /** As `whenTaken`. Resolves also when nobody waits any more. */
  taken(): Promise<void> {
    if (this.#aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onTakenOrAborted = resolve;
      this.whenTaken(resolve);
    });
  }

  tellTaken(): void {
    const listener = this.#onTaken;
    this.#onTaken = undefined;
    listener?.();
  }
}

/** The answers on a link that its gateway has not read yet. */
export type LinkBacklog = { readonly backlogBytes: number };

/** A request for a node to answer. */
export type ReceivedRequest = LinkedRequest & {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: RequestSignal;
  /** The answers that its own answer must wait for. */
  readonly link: LinkBacklog;
};

/** How a node answers. */
export type AnsweringNode = {
  /**
   * Answers a request with one call of `reply`, also for a refusal; for a stream, any number of calls come before. An exception ends the
   * link.
   */
  readonly answer: (request: ReceivedRequest, reply: (answer: LinkAnswer) => void) => void;
  readonly onFault: (error: unknown) => void;
};
