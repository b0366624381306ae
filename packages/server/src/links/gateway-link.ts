/** The gateway's end of a link: one connection to a node, for the gateway's requests there. */
import { request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';
import type { Clock, Timer } from '@parley/clock';

import { joined, textOf } from './body.ts';
import { FrameReader, frameOf, writeFrame } from './frames.ts';
import { KeptOfNode } from './kept-bytes.ts';
import { LongBodies, PartialBody } from './long-bodies.ts';
import { isContinued, linkPath, linkProtocol, partBytes } from './protocol.ts';
import { LinkLost, LinkUnreachable } from './link.ts';
import type { Link, LinkFault, LinkListener } from './link.ts';
import { Slots } from './slots.ts';
import type {
  AnswersText,
  KeepText,
  LeavingText,
  LinkedRequest,
  PartText,
  RequestText,
  RequestsText,
} from './protocol.ts';

export type GatewayLinkOptions = {
  readonly clock: Clock;
  readonly hostname: string;
  readonly port: string;
  /** Signed for the request id of links. */
  readonly identity: string;
  readonly connectTimeoutMs: number;
  /** The interval of checks whether the node is alive. The link is lost after three checks without an answer. */
  readonly checkIntervalMs: number;
  /** Called when the node stops, before the answers that end polls because of it. No new request may use this link. */
  readonly onLeaving: () => void;
  /** Called first when the link has ended. */
  readonly onClosed: (fault: LinkFault) => void;
};

/**
 * The node is lost after this many checks without an answer. If only the network between the two fails, no lease shows it, and TCP would
 * wait for a quarter of an hour. Checks are counted instead of time, because this process may have been paused itself.
 */
const silentChecksMax = 3;

/** The most requests in one frame. Many requests begin together, such as the polls of a node that died, and a query may take kilobytes. */
const requestsPerFrame = 1_000;

/** The frame is complete once its bodies have this many bytes; one body may have a megabyte. */
const bodiesPerFrameBytes = 4 * 1_048_576;

type NumberedRequest = LinkedRequest & { readonly number: number };

export class GatewayLink implements Link {
  readonly #options: GatewayLinkOptions;
  readonly #listeners = new Slots<LinkListener>();
  readonly #kept = new KeptOfNode();
  #socket: Socket | undefined;
  #begun: NumberedRequest[] = [];
  #left: number[] = [];
  #taken: number[] = [];
  #long: LongBodies | undefined;
  readonly #partial = new PartialBody();
  #isFlushing = false;
  #isClosed = false;
  #isLeaving = false;
  #silentChecks = 0;
  #checkTimer: Timer | undefined;
  readonly #abandonOpening: () => void;

  /** Starts to connect. Requests may be sent at once. */
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
    // A node that accepts the connection and stays silent is treated like one that does not accept it.
    const timer = options.clock.after(options.connectTimeoutMs, () =>
      this.#close(new LinkUnreachable('the node did not answer in time')),
    );
    this.#abandonOpening = () => {
      timer.cancel();
      opening.destroy();
    };
    opening.on('upgrade', (_answer, socket: Socket, head) => {
      timer.cancel();
      this.#open(socket, head);
    });
    opening.on('response', (answer) => {
      answer.resume();
      this.#close(new LinkUnreachable(`the node answered ${answer.statusCode ?? 0}`));
    });
    opening.on('error', (error) =>
      this.#close(new LinkUnreachable('the node was not reached', { cause: error })),
    );
    opening.end();
  }

  get size(): number {
    return this.#listeners.size;
  }

  get isSilent(): boolean {
    return this.#silentChecks > 1;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  send(request: LinkedRequest, listener: LinkListener): number {
    if (this.#isLeaving) throw new Error('a node that stops accepts no more requests on this link');
    const number = this.#listeners.add(listener);
    this.#begun.push({ ...request, number });
    this.#flushSoon();
    return number;
  }

  leave(number: number): void {
    if (this.#listeners.take(number) === undefined) return;
    this.#long?.leave(number);
    this.#left.push(number);
    this.#flushSoon();
  }

  take(number: number): void {
    this.#taken.push(number);
    this.#flushSoon();
  }

  close(): void {
    this.#close(new LinkLost('the gateway ended the link'));
  }

  #open(socket: Socket, head: Buffer): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    this.#long = new LongBodies(socket);
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
    const { checkIntervalMs, clock } = this.#options;
    this.#checkTimer = clock.every(checkIntervalMs, () => this.#check());
    if (head.length > 0) read(head);
    this.#flush();
  }

  #check(): void {
    if (this.#silentChecks >= silentChecksMax) {
      this.#close(new LinkLost('the node is silent'));
      return;
    }
    this.#silentChecks += 1;
    this.#write([[], [], []]);
  }

  #receive(text: string, body: readonly Buffer[]): void {
    const message = JSON.parse(text) as AnswersText | PartText | KeepText | LeavingText;
    if (message[0] === 'leaving') {
      this.#isLeaving = true;
      this.#options.onLeaving();
      this.#flush();
      this.#long?.sendAll();
      this.#write(['leaving']);
      return;
    }
    if (message[0] === 'part') {
      this.#partial.add(message[1], body);
      return;
    }
    if (message[0] === 'keep') {
      this.#kept.keep(message[1], joined(body), message[2]);
      return;
    }
    const [status, kind, headers, answers, layout] = message;
    const whole =
      layout === undefined
        ? this.#partial.complete(answers[0]?.[0], body)
        : this.#kept.putTogether(layout, joined(body));
    if (isContinued(kind)) {
      for (const [number, own] of answers)
        this.#listeners.find(number)?.onLinkAnswer({ status, kind, headers, shared: whole, own });
      return;
    }
    const shared = answers.length > 1 ? textOf(whole) : whole;
    for (const [number, own] of answers)
      this.#listeners.take(number)?.onLinkAnswer({ status, kind, headers, shared, own });
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // After everything that arrived in the same bytes.
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
    // A request abandoned before it was sent is not sent, and its slot may be in use again.
    const begun =
      left.length === 0 ? this.#begun : this.#begun.filter(({ number }) => !leftAtOnce.has(number));
    this.#begun = [];
    this.#left = [];
    this.#taken = [];
    // Without long bodies, which go after everything else of this moment.
    const short = begun.filter((request) => !this.#sendLong(request));
    let from = 0;
    do {
      const texts: RequestText[] = [];
      const bodies: Buffer[] = [];
      let bytes = 0;
      for (const request of short.slice(from, from + requestsPerFrame)) {
        const { body } = request;
        texts.push(textOfRequest(request));
        bodies.push(body);
        bytes += body.length;
        if (bytes >= bodiesPerFrameBytes) break;
      }
      if (texts.length > 0 || left.length > 0 || taken.length > 0)
        this.#write([texts, left, taken], bodies);
      from += texts.length;
      left = [];
      taken = [];
    } while (from < short.length);
  }

  /** @returns whether the request has a long body, which is sent in parts */
  #sendLong(request: NumberedRequest): boolean {
    if (request.body.length <= partBytes) return false;
    const text: RequestsText = [[textOfRequest(request)], [], []];
    this.#long?.add([request.number], JSON.stringify(text), [request.body]);
    return true;
  }

  #write(text: RequestsText | LeavingText, bodies: readonly Buffer[] = []): void {
    if (this.#socket !== undefined) writeFrame(this.#socket, frameOf(JSON.stringify(text), bodies));
  }

  #close(fault: LinkFault): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#partial.clear();
    this.#long?.clear();
    this.#abandonOpening();
    this.#checkTimer?.cancel();
    this.#socket?.destroy();
    this.#options.onClosed(fault);
    for (const listener of this.#listeners) listener.onLinkFault(fault);
  }
}

function textOfRequest(request: NumberedRequest): RequestText {
  const { number, requestId, endpoint, wants, path, query, caller, headers, body } = request;
  return [number, requestId, endpoint, wants, path, query, caller, headers, body.length];
}
