/** The gateway's end of a link: one connection to a node, for the requests that it has there. */
import { request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';

import { bytesOf, joined, textOf } from './body.ts';
import { BrokenFrame, FrameReader, frameOf, writeFrame } from './frames.ts';
import { KeptOfNode } from './kept-bytes.ts';
import { answerMaxBytes, goesOn, linkPath, linkProtocol } from './protocol.ts';
import { Slots } from './slots.ts';
import type {
  AnswersText,
  KeepText,
  LeavingText,
  LinkAnswer,
  LinkedRequest,
  PartText,
  RequestText,
  RequestsText,
} from './protocol.ts';

/** The node was not reached: it has seen nothing of the requests. */
export class LinkUnreachable extends Error {}

/** The node answered by HTTP that it knows no links: it is of an older release. */
export class LinkRefused extends Error {}

/** The link was there and broke. */
export class LinkLost extends Error {}

export type LinkFault = LinkUnreachable | LinkRefused | LinkLost;

/** Who waits for the answer to a request: told once, of its answer or of the end of the link, and before of each part of a stream. */
export type LinkListener = {
  readonly onLinkAnswer: (answer: LinkAnswer) => void;
  readonly onLinkFault: (fault: LinkFault) => void;
};

export type GatewayLinkOptions = {
  readonly hostname: string;
  readonly port: string;
  /** Signed for the request id of links. */
  readonly identity: string;
  readonly connectTimeoutMs: number;
  /** How often the node is looked after; three looks without a word, and the link is lost. */
  readonly checkIntervalMs: number;
  /** Told when the node stops, before the answers that end polls for it. No request may begin here any more. */
  readonly onLeaving: () => void;
  /** Told first when the link is over. */
  readonly onClosed: (fault: LinkFault) => void;
};

/**
 * The node is lost after so many looks without a word. Where the network between the two is cut, no lease tells so, and TCP would go on
 * for a quarter of an hour. Looks are counted and no time is measured, since this process may have been paused itself.
 */
const silentChecksMax = 3;

/** Requests that begin together, as the polls of a node that died, go in frames of so many: a query may take kilobytes. */
const requestsPerFrame = 1_000;

/** A frame is complete with so many bytes of bodies, of which each may be a megabyte. */
const bodiesPerFrameBytes = 4 * 1_048_576;

/** What has come of a long answer. */
type Begun = { readonly number: number; readonly pieces: Buffer[]; bytes: number };

export class GatewayLink {
  readonly #options: GatewayLinkOptions;
  readonly #listeners = new Slots<LinkListener>();
  readonly #kept = new KeptOfNode();
  #socket: Socket | undefined;
  #begun: (LinkedRequest & { readonly number: number })[] = [];
  #left: number[] = [];
  #taken: number[] = [];
  /** The long answer whose last part has not come. */
  #begunAnswer: Begun | undefined;
  #isFlushing = false;
  #isClosed = false;
  #isLeaving = false;
  #silentChecks = 0;
  #checkTimer: NodeJS.Timeout | undefined;
  readonly #abandonOpening: () => void;

  /** Begins to connect. Requests may be given at once. */
  constructor(options: GatewayLinkOptions) {
    this.#options = options;
    const opening = sendRequest({
      host: options.hostname,
      port: options.port,
      path: linkPath,
      agent: false,
      headers: {
        Connection: 'Upgrade',
        Upgrade: linkProtocol,
        [identityHeaderName]: options.identity,
      },
    });
    // A node that takes the connection and says nothing is as good as one that does not take it.
    const timer = setTimeout(
      () => this.#close(new LinkUnreachable('the node did not answer in time')),
      options.connectTimeoutMs,
    );
    this.#abandonOpening = () => {
      clearTimeout(timer);
      opening.destroy();
    };
    opening.on('upgrade', (_answer, socket: Socket, head) => {
      clearTimeout(timer);
      this.#open(socket, head);
    });
    opening.on('response', (answer) => {
      answer.resume();
      this.#close(new LinkRefused(`the node answered ${answer.statusCode ?? 0}`));
    });
    opening.on('error', (error) =>
      this.#close(new LinkUnreachable('the node was not reached', { cause: error })),
    );
    opening.end();
  }

  /** @returns requests whose answer is awaited */
  get size(): number {
    return this.#listeners.size;
  }

  /** Whether the node has not answered the last look, as where the way between the two is cut. */
  get isSilent(): boolean {
    return this.#silentChecks > 1;
  }

  /** Whether the node has said that it stops. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /**
   * Sends a request.
   *
   * @returns the number by which it is left
   * @throws Error where the node has said that it stops
   */
  send(request: LinkedRequest, listener: LinkListener): number {
    if (this.#isLeaving) throw new Error('a node that stops takes no more requests on this link');
    const number = this.#listeners.add(listener);
    this.#begun.push({ ...request, number });
    this.#flushSoon();
    return number;
  }

  /** Nobody waits for the answer any more. */
  leave(number: number): void {
    if (this.#listeners.take(number) === undefined) return;
    this.#left.push(number);
    this.#flushSoon();
  }

  /** Says that the last step of a stream was taken, so that more may come. */
  take(number: number): void {
    this.#taken.push(number);
    this.#flushSoon();
  }

  /** Ends the link; whoever waits is told that it is lost. */
  close(): void {
    this.#close(new LinkLost('the gateway ended the link'));
  }

  #open(socket: Socket, head: Buffer): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    socket.setTimeout(0);
    socket.setNoDelay(true);
    const reader = new FrameReader((text, body) => this.#receive(text, body));
    const read = (chunk: Buffer): void => {
      this.#silentChecks = 0;
      try {
        reader.push(chunk);
      } catch (error) {
        this.#close(new LinkLost('the node broke the protocol', { cause: error }));
      }
    };
    socket.on('data', read);
    socket.on('error', (error) =>
      this.#close(new LinkLost('the connection failed', { cause: error })),
    );
    socket.on('close', () => this.#close(new LinkLost('the connection ended')));
    this.#checkTimer = setInterval(() => this.#check(), this.#options.checkIntervalMs);
    if (head.length > 0) read(head);
    this.#flush();
  }

  #check(): void {
    if (this.#silentChecks >= silentChecksMax) {
      this.#close(new LinkLost('the node says nothing any more'));
      return;
    }
    this.#silentChecks += 1;
    this.#say([[], [], []]);
  }

  #receive(text: string, body: readonly Buffer[]): void {
    const said = JSON.parse(text) as AnswersText | PartText | KeepText | LeavingText;
    if (said[0] === 'leaving') {
      this.#isLeaving = true;
      this.#options.onLeaving();
      this.#flush();
      this.#say(['leaving']);
      return;
    }
    if (said[0] === 'part') {
      this.#keepPart(said[1], body);
      return;
    }
    if (said[0] === 'keep') {
      this.#kept.keep(said[1], joined(body), said[2]);
      return;
    }
    const [status, kind, headers, answers, layout] = said;
    const whole =
      layout === undefined
        ? this.#completeBody(answers[0]?.[0], body)
        : this.#kept.putTogether(layout, joined(body));
    if (goesOn(kind)) {
      for (const [number, own] of answers)
        this.#listeners.find(number)?.onLinkAnswer({ status, kind, headers, shared: whole, own });
      return;
    }
    const shared = answers.length > 1 ? textOf(whole) : whole;
    for (const [number, own] of answers)
      this.#listeners.take(number)?.onLinkAnswer({ status, kind, headers, shared, own });
  }

  #keepPart(number: number, part: readonly Buffer[]): void {
    if (this.#begunAnswer?.number !== number) this.#begunAnswer = { number, pieces: [], bytes: 0 };
    this.#begunAnswer.pieces.push(...part);
    this.#begunAnswer.bytes += bytesOf(part);
    if (this.#begunAnswer.bytes > answerMaxBytes) throw new BrokenFrame('an answer is too long');
    if (part.length === 0) this.#begunAnswer = undefined;
  }

  /** @returns the body of an answer, whose last part, or all of it, has come */
  #completeBody(firstNumber: number | undefined, lastPart: readonly Buffer[]): readonly Buffer[] {
    const begun = this.#begunAnswer;
    if (begun === undefined || begun.number !== firstNumber) return lastPart;
    this.#begunAnswer = undefined;
    return [...begun.pieces, ...lastPart];
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // After all that came with the same bytes of the network.
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#socket === undefined) return;
    if (this.#begun.length === 0 && this.#left.length === 0 && this.#taken.length === 0) return;
    let left = this.#left;
    let taken = this.#taken;
    const leftAtOnce = new Set(left);
    // What was left before it was sent is not sent, and its slot may be in use again.
    const begun =
      left.length === 0 ? this.#begun : this.#begun.filter(({ number }) => !leftAtOnce.has(number));
    this.#begun = [];
    this.#left = [];
    this.#taken = [];
    let from = 0;
    do {
      const texts: RequestText[] = [];
      const bodies: Buffer[] = [];
      let bytes = 0;
      for (const { number, requestId, method, address, caller, headers, body } of begun.slice(
        from,
        from + requestsPerFrame,
      )) {
        texts.push([number, requestId, method, address, caller, headers, body.length]);
        bodies.push(body);
        bytes += body.length;
        if (bytes >= bodiesPerFrameBytes) break;
      }
      this.#say([texts, left, taken], bodies);
      from += texts.length;
      left = [];
      taken = [];
    } while (from < begun.length);
  }

  #say(text: RequestsText | LeavingText, bodies: readonly Buffer[] = []): void {
    if (this.#socket !== undefined) writeFrame(this.#socket, frameOf(JSON.stringify(text), bodies));
  }

  #close(fault: LinkFault): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#begunAnswer = undefined;
    this.#abandonOpening();
    clearInterval(this.#checkTimer);
    this.#socket?.destroy();
    this.#options.onClosed(fault);
    for (const listener of this.#listeners) listener.onLinkFault(fault);
  }
}
