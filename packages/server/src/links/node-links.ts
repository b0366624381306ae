/** A node's end of its links, one for each gateway. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { identityHeaderName } from '@parley/api';
import { limitMs } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';
import { verifyIdentity } from '@parley/auth/identity';

import { bytesOf, joined } from './body.ts';
import type { LinkBody } from './body.ts';
import { BrokenFrame, FrameReader, frameOf, writeFrame } from './frames.ts';
import { KeptByGateway } from './kept-bytes.ts';
import { LocalLink } from './local-link.ts';
import type { LocalLinkOptions } from './local-link.ts';
import { LongBodies, PartialBody } from './long-bodies.ts';
import { RequestSignal } from './received-request.ts';
import type { AnsweringNode, LinkBacklog } from './received-request.ts';
import { SlotTable } from './slots.ts';
import {
  answerMaxBytes,
  isContinued,
  linkPath,
  linkProtocol,
  linkRequestId,
  partBytes,
} from './protocol.ts';
import type {
  AnswersText,
  KeepText,
  LeavingText,
  LinkAnswer,
  PartText,
  RequestText,
  RequestsText,
} from './protocol.ts';

export type NodeLinksOptions = AnsweringNode & {
  readonly clock: Clock;
  /** Secrets with which the gateway's identity may be signed. */
  readonly identitySecrets: readonly string[];
};

/** The most answers sent together. So a gateway begins to write the first while the others are still being made. */
const answersPerFrame = 128;

/**
 * While more than this waits for a gateway, the node checks that the gateway reads. It is twice the longest answer. More alone is no fault,
 * because the answers of one moment may exceed it.
 */
const waitingMaxBytes = 2 * answerMaxBytes;

/** A gateway that reads nothing between two checks is disconnected. It sends no requests meanwhile, so its backlog does not grow. */
const readingCheckMs = 2_000;

/** A gateway that neither reads nor sends for this time after the end of a link is disconnected. */
const endingSilenceMs = 1_000;

/** A gateway that reads more slowly is disconnected after this time, because the process waits for it to end. */
const endingMaxMs = 10_000;

/** A live gateway says within this time that it sends nothing more. */
const farewellMaxMs = 1_000;

type Alike = { readonly first: LinkAnswer; readonly answers: [number, string][] };

class NodeLink implements LinkBacklog {
  readonly #socket: Socket;
  readonly #options: NodeLinksOptions;
  readonly #waiting = new SlotTable<RequestSignal>();
  /** Answers of this moment by their shared beginning, which later ones may share. */
  readonly #alike = new Map<LinkAnswer['shared'], Alike>();
  /** The frames of the other answers of this moment, except long ones. */
  #alone: Buffer[] = [];
  readonly #long: LongBodies;
  readonly #partial = new PartialBody();
  readonly #kept = new KeptByGateway();
  #isFlushing = false;
  /** The number of the next flush. */
  #nextFlush = 1;
  /** Runs until the next check while much waits for the gateway. */
  #readingTimer: Timer | undefined;
  /** Whether no new requests come, because the gateway has said so or is gone. */
  #isLeft = false;
  #isQuiet = false;
  readonly #quiet = Promise.withResolvers<void>();

  constructor(socket: Socket, head: Buffer, options: NodeLinksOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#long = new LongBodies(socket, () => this.#becomeQuietIfIdle());
    const reader = new FrameReader((text, body) => this.#receive(text, body));
    const read = (chunk: Buffer): void => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#fail(error);
      }
    };
    socket.on('data', read);
    // A gateway that has closed its side waits for no answers.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      for (const signal of this.#waiting) signal.abort();
      this.#long.clear();
      this.#becomeQuiet();
    });
    if (head.length > 0) read(head);
  }

  /** Resolves when the gateway sends nothing more and has all its answers, or is gone. */
  get quiet(): Promise<void> {
    return this.#quiet.promise;
  }

  get backlogBytes(): number {
    return this.#long.bytes + this.#socket.writableLength;
  }

  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  sayLeaving(): void {
    this.#send(['leaving']);
    // The gateway may be paused, or of a release that sends no last word. If this process was paused, bytes that arrived meanwhile are read
    // before the end.
    this.#options.clock.after(farewellMaxMs, () => setImmediate(() => this.#leave())).unref();
  }

  /** Ends the link after the answers that are ready. */
  end(): void {
    this.#flush();
    this.#long.sendAll();
    this.#socket.end();
    const destroy = (): void => {
      this.#socket.destroy();
    };
    // A paused gateway would keep the connection open, and with it this process.
    const { clock } = this.#options;
    clock.after(endingMaxMs, destroy).unref();
    // If this process was busy, what the gateway read meanwhile is noticed first.
    const silenceMaxMs = limitMs(clock, endingSilenceMs);
    this.#socket.setTimeout(silenceMaxMs, () =>
      setImmediate(() => this.#socket.setTimeout(silenceMaxMs, destroy)),
    );
  }

  #leave(): void {
    this.#isLeft = true;
    this.#becomeQuietIfIdle();
  }

  #becomeQuietIfIdle(): void {
    const isIdle = this.#waiting.size === 0 && this.#long.size === 0 && this.#partial.isEmpty;
    if (this.#isLeft && isIdle) this.#becomeQuiet();
  }

  #becomeQuiet(): void {
    this.#isQuiet = true;
    this.#quiet.resolve();
  }

  #receive(text: string, received: readonly Buffer[]): void {
    const message = JSON.parse(text) as RequestsText | PartText | LeavingText;
    if (message[0] === 'leaving') {
      this.#leave();
      return;
    }
    if (message[0] === 'part') {
      this.#partial.add(message[1], received);
      this.#becomeQuietIfIdle();
      return;
    }
    const [requests, left, taken] = message;
    const body = joined(this.#partial.complete(requests[0]?.[0], received));
    // Before any of them begins, because none may get the body of another.
    const bodies = cutBodies(requests, body);
    // Before the requests, because these may use the slots of abandoned ones.
    for (const number of left) {
      this.#waiting.take(number)?.abort();
      this.#long.leave(number);
    }
    for (const number of taken) this.#waiting.find(number)?.tellTaken();
    for (const [at, request] of requests.entries()) this.#begin(request, bodies[at] ?? body);
    if (requests.length === 0 && left.length === 0 && taken.length === 0)
      this.#send([200, 'json', {}, []]);
    this.#becomeQuietIfIdle();
  }

  #begin(request: RequestText, body: Buffer): void {
    const [number, requestId, endpoint, wants, path, query, caller, headers] = request;
    const signal = new RequestSignal();
    this.#waiting.put(number, signal);
    this.#options.answer(
      { requestId, endpoint, wants, path, query, caller, headers, body, signal, link: this },
      (answer) => this.#reply(number, answer),
    );
  }

  #reply(number: number, answer: LinkAnswer): void {
    const isOpen = isContinued(answer.kind);
    const signal = isOpen ? this.#waiting.find(number) : this.#waiting.take(number);
    // An abandoned request gets no answer.
    if (signal === undefined) return;
    // Equal parts are sent together, so two parts of one stream in one flush could change places.
    if (signal.flush === this.#nextFlush) this.#flush();
    if (isOpen) signal.flush = this.#nextFlush;
    if (isOpen || answer.own !== '') this.#gather(number, answer);
    else {
      const { shared } = answer;
      const text = answersTextOf(answer, [[number, '']]);
      if (!this.#addLaidOut(text, shared)) {
        if (isLong(shared)) this.#long.add([number], JSON.stringify(text), shared);
        else this.#alone.push(...frameOf(JSON.stringify(text), shared));
      }
    }
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  /** @returns false for an answer that contains no kept bytes */
  #addLaidOut(text: AnswersText, body: LinkBody): boolean {
    const laidOut = typeof body === 'string' ? undefined : this.#kept.layOut(body);
    if (laidOut === undefined) return false;
    const { added, dropped, layout, own } = laidOut;
    for (const [n, [id, bytes]] of added.entries()) {
      const keep: KeepText = ['keep', id, n === 0 ? dropped : []];
      this.#alone.push(...frameOf(JSON.stringify(keep), [bytes]));
    }
    this.#alone.push(...frameOf(JSON.stringify([...text, layout]), own));
    return true;
  }

  #gather(number: number, answer: LinkAnswer): void {
    const alike = this.#alike.get(answer.shared);
    if (alike === undefined || !isAlike(alike.first, answer)) {
      if (alike !== undefined) this.#write(alike);
      this.#alike.set(answer.shared, { first: answer, answers: [[number, answer.own]] });
    } else {
      alike.answers.push([number, answer.own]);
      if (alike.answers.length >= answersPerFrame) {
        this.#alike.delete(answer.shared);
        this.#write(alike);
      }
    }
  }

  #flush(): void {
    this.#nextFlush += 1;
    this.#socket.cork();
    for (const alike of this.#alike.values()) this.#write(alike);
    if (this.#socket.writable) for (const piece of this.#alone) this.#socket.write(piece);
    this.#socket.uncork();
    this.#alike.clear();
    this.#alone = [];
    this.#watchReading();
    this.#becomeQuietIfIdle();
  }

  #watchReading(): void {
    if (this.#readingTimer !== undefined || this.backlogBytes <= waitingMaxBytes) return;
    let hasRead = !this.#socket.writableNeedDrain;
    const onDrain = (): void => {
      hasRead = true;
    };
    this.#socket.once('drain', onDrain);
    const check = (): void => {
      this.#socket.off('drain', onDrain);
      this.#readingTimer = undefined;
      if (hasRead) this.#watchReading();
      else if (!this.#socket.destroyed)
        this.#fail(new Error('a gateway does not read its answers'));
    };
    // If this process was busy, reads that happened meanwhile are noticed first.
    const { clock } = this.#options;
    this.#readingTimer = clock.after(readingCheckMs, () => setImmediate(check)).unref();
  }

  #write({ first, answers }: Alike): void {
    const text = answersTextOf(first, answers);
    if (isLong(first.shared))
      this.#long.add(
        answers.map(([number]) => number),
        JSON.stringify(text),
        first.shared,
      );
    else this.#send(text, first.shared);
  }

  #send(text: AnswersText | LeavingText, body: LinkBody = ''): void {
    // Nothing is written after the end: it would destroy answers that are still being sent.
    if (this.#socket.writable) writeFrame(this.#socket, frameOf(JSON.stringify(text), body));
  }

  /** The gateway notices that the link is gone; its requests are repeated elsewhere or are lost. */
  #fail(error: unknown): void {
    this.#options.onFault(error);
    this.#socket.destroy();
  }
}

/** @throws BrokenFrame if the lengths that the requests state do not match their bodies */
function cutBodies(requests: readonly RequestText[], body: Buffer): readonly Buffer[] {
  let from = 0;
  const bodies = requests.map((request) => {
    const bodyBytes = request[8];
    const to = from + bodyBytes;
    if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0 || to > body.length)
      throw new BrokenFrame('a request states a wrong length of its body');
    const own = body.subarray(from, to);
    from = to;
    return own;
  });
  if (from !== body.length) throw new BrokenFrame('a body belongs to no request');
  return bodies;
}

function isAlike(first: LinkAnswer, other: LinkAnswer): boolean {
  return (
    first.status === other.status && first.kind === other.kind && first.headers === other.headers
  );
}

/** Whether it must be sent in parts. The length of a text is counted in characters, which is precise enough. */
function isLong(body: LinkBody): boolean {
  return (typeof body === 'string' ? body.length : bytesOf(body)) > partBytes;
}

function answersTextOf(
  { status, kind, headers }: LinkAnswer,
  answers: AnswersText[3],
): AnswersText {
  return [status, kind, headers, answers];
}

export class NodeLinks {
  readonly #options: NodeLinksOptions;
  readonly #links = new Set<NodeLink | LocalLink>();
  #isLeaving = false;
  #hasEnded = false;

  constructor(options: NodeLinksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#links.size;
  }

  /** Accepts the upgrade of a connection, or refuses it: a peer without a valid identity is no gateway. */
  accept(request: IncomingMessage, head: Buffer): void {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    // Refused as if nothing listened, which will be true in a moment, so that the gateway goes elsewhere.
    if (this.#hasEnded) {
      socket.destroy();
      return;
    }
    const header = request.headers[identityHeaderName];
    const identity = verifyIdentity(
      this.#options.identitySecrets,
      typeof header === 'string' ? header : undefined,
      this.#options.clock.nowMs(),
    );
    if (request.url !== linkPath) {
      refuse(socket, '404 Not Found');
    } else if (identity?.requestId !== linkRequestId) {
      refuse(socket, '401 Unauthorized');
    } else if (request.headers.upgrade !== linkProtocol) {
      refuse(socket, '400 Bad Request');
    } else {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${linkProtocol}\r\n\r\n`,
      );
      const link = new NodeLink(socket, head, this.#options);
      this.#links.add(link);
      socket.on('close', () => this.#links.delete(link));
      if (this.#isLeaving) link.sayLeaving();
    }
  }

  /** Opens a link for a gateway in this process. @returns it; undefined if this node stops */
  connect(options: LocalLinkOptions): LocalLink | undefined {
    if (this.#isLeaving || this.#hasEnded) return undefined;
    const link: LocalLink = new LocalLink(this.#options, {
      ...options,
      onClosed: (fault) => {
        this.#links.delete(link);
        options.onClosed(fault);
      },
    });
    this.#links.add(link);
    return link;
  }

  /**
   * Tells all gateways that this node stops. Answers made from then on come after that, so a client that polls again at the same gateway
   * reaches another node.
   */
  sayLeaving(): void {
    this.#isLeaving = true;
    for (const link of this.#links) link.sayLeaving();
  }

  /** Tells gateways that this node stops, unless they already know, and resolves when every request that came is answered. */
  async finish(): Promise<void> {
    if (!this.#isLeaving) this.sayLeaving();
    const findBusy = () => [...this.#links].filter(({ isQuiet }) => !isQuiet);
    // A gateway that has not heard of the stop may still open a link meanwhile and send its first requests.
    for (let busy = findBusy(); busy.length > 0; busy = findBusy())
      await Promise.all(busy.map(({ quiet }) => quiet));
  }

  /** Ends all links and accepts no more. Unanswered polls continue at other nodes. */
  end(): void {
    this.#hasEnded = true;
    for (const link of this.#links) link.end();
  }
}

function refuse(socket: Socket, status: string): void {
  // No server closes such a connection, and the peer need not close its side.
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}
