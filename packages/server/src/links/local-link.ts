/** The link to a node in the gateway's own process: a request is a call. */
import { LinkLost } from './link.ts';
import type { Link, LinkFault, LinkListener } from './link.ts';
import { isContinued } from './protocol.ts';
import type { LinkAnswer, LinkedRequest } from './protocol.ts';
import { RequestSignal } from './received-request.ts';
import type { AnsweringNode } from './received-request.ts';
import { Slots } from './slots.ts';

export type LocalLinkOptions = {
  /** Called when the node stops, before the answers that end polls because of it. No new request may use this link. */
  readonly onLeaving: () => void;
  /** Called first when the link has ended. */
  readonly onClosed: (fault: LinkFault) => void;
};

type Waiting = { readonly listener: LinkListener; readonly signal: RequestSignal };

/** Nothing lies between the two: what a gateway's client has not read is counted by the gateway. */
const noBacklog = { backlogBytes: 0 };

export class LocalLink implements Link {
  readonly isSilent = false;
  readonly #node: AnsweringNode;
  readonly #options: LocalLinkOptions;
  #waiting = new Slots<Waiting>();
  readonly #quiet = Promise.withResolvers<void>();
  #isLeaving = false;
  #isClosed = false;

  constructor(node: AnsweringNode, options: LocalLinkOptions) {
    this.#node = node;
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** As for a link to another process: whether every request is answered and no more can come. */
  get isQuiet(): boolean {
    return this.#isLeaving && this.#waiting.size === 0;
  }

  get quiet(): Promise<void> {
    return this.#quiet.promise;
  }

  send(request: LinkedRequest, listener: LinkListener): number {
    if (this.#isLeaving) throw new Error('a node that stops accepts no more requests on this link');
    const signal = new RequestSignal();
    const number = this.#waiting.add({ listener, signal });
    setImmediate(() => {
      const waiting = this.#waiting.find(number);
      if (waiting === undefined) return;
      this.#guard(() =>
        this.#node.answer({ ...request, signal, link: noBacklog }, (answer) =>
          this.#guard(() => this.#reply(number, answer)),
        ),
      );
    });
    return number;
  }

  leave(number: number): void {
    const waiting = this.#waiting.take(number);
    if (waiting === undefined) return;
    // Not at once: the node may be in the middle of an answer that makes its gateway leave.
    setImmediate(() => waiting.signal.abort());
    this.#becomeQuietIfIdle();
  }

  take(number: number): void {
    this.#waiting.find(number)?.signal.tellTaken();
  }

  sayLeaving(): void {
    this.#isLeaving = true;
    this.#options.onLeaving();
    this.#becomeQuietIfIdle();
  }

  close(): void {
    this.#close(new LinkLost('the gateway ended the link'));
  }

  /** Ends the link for the node, which answers nothing more. */
  end(): void {
    this.#close(new LinkLost('the node ended the link'));
  }

  #reply(number: number, answer: LinkAnswer): void {
    const waiting = isContinued(answer.kind)
      ? this.#waiting.find(number)
      : this.#waiting.take(number);
    waiting?.listener.onLinkAnswer(answer);
    this.#becomeQuietIfIdle();
  }

  /** Either side's fault ends the link, as it does between two processes. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#node.onFault(error);
      this.#close(new LinkLost('one end of the link failed', { cause: error }));
    }
  }

  #becomeQuietIfIdle(): void {
    if (this.isQuiet) this.#quiet.resolve();
  }

  #close(fault: LinkFault): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isLeaving = true;
    const waiting = [...this.#waiting];
    this.#waiting = new Slots();
    this.#options.onClosed(fault);
    for (const { listener, signal } of waiting) {
      setImmediate(() => signal.abort());
      listener.onLinkFault(fault);
    }
    this.#quiet.resolve();
  }
}
