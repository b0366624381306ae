/** A node's end of its links, one for each gateway. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { identityHeaderName } from '@parley/api';
import { verifyIdentity } from '@parley/identity';

import { bytesOf, joined } from './body.ts';
import type { LinkBody } from './body.ts';
import { BrokenFrame, FrameReader, frameOf, writeFrame } from './frames.ts';
import { KeptByGateway } from './kept-bytes.ts';
import { LongAnswers } from './long-answers.ts';
import { SlotTable } from './slots.ts';
import {
  answerMaxBytes,
  goesOn,
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
  LinkedRequest,
  RequestText,
  RequestsText,
} from './protocol.ts';

/** As much of an AbortSignal as a request needs that may be a poll, of which a node holds thousands; and what else a gateway says of it. */
export class RequestSignal {
  /** The last flush before which it had a part of a stream. */
  flush = 0;
  #aborted = false;
  #listener: (() => void) | undefined;
  #onTaken: (() => void) | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Keeps one listener: a request waits for one thing at a time. */
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
  }

  /** To be called before a step of a stream is sent. @param listener told once when the client has taken it */
  whenTaken(listener: () => void): void {
    this.#onTaken = listener;
  }

  tellTaken(): void {
    const listener = this.#onTaken;
    this.#onTaken = undefined;
    listener?.();
  }
}

/** What a gateway has not taken yet of the answers on its link. */
export type LinkBacklog = { readonly backlogBytes: number };

/** A request that a node is to answer. */
export type ReceivedRequest = LinkedRequest & {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: RequestSignal;
  /** What its answer has to wait for. */
  readonly link: LinkBacklog;
};

export type NodeLinksOptions = {
  /** Secrets with which the gateway's identity may be signed. */
  readonly identitySecrets: readonly string[];
  /**
   * Answers a request by calling back once, refusals included; with a stream any number of times before. What it throws ends the link.
   */
  readonly answer: (request: ReceivedRequest, reply: (answer: LinkAnswer) => void) => void;
  readonly onFault: (error: unknown) => void;
};

/** So many answers go together at most, so that a gateway begins to write the first while the others are still being made. */
const answersPerFrame = 128;

/**
 * While more waits for a gateway, the node looks whether it takes any: twice the longest answer. So much alone means nothing, since the
 * answers of one moment may be more.
 */
const waitingMaxBytes = 2 * answerMaxBytes;

/** A gateway that has taken nothing from one look to the next is left. It asks for nothing meanwhile, so what waits for it grows no more. */
const readingCheckMs = 2_000;

/** A gateway that does not see the end of a link is left after so long. */
const endingMaxMs = 1_000;

/** A gateway that is there says within a moment that it sends nothing more. */
const farewellMaxMs = 1_000;

type Alike = { readonly first: LinkAnswer; readonly answers: [number, string][] };

class NodeLink implements LinkBacklog {
  readonly #socket: Duplex;
  readonly #options: NodeLinksOptions;
  readonly #waiting = new SlotTable<RequestSignal>();
  /** Answers of this moment that others may begin like, by what they share. */
  readonly #alike = new Map<LinkAnswer['shared'], Alike>();
  /** The frames of the other answers of this moment, if they are not long. */
  #alone: Buffer[] = [];
  readonly #long: LongAnswers;
  readonly #kept = new KeptByGateway();
  #isFlushing = false;
  /** Counts flushes, from the next one on. */
  #nextFlush = 1;
  /** To the next look, while much waits for the gateway. */
  #readingTimer: NodeJS.Timeout | undefined;
  /** Whether nothing new comes: the gateway has said so, or is gone. */
  #isLeft = false;
  #isQuiet = false;
  readonly #quiet = Promise.withResolvers<void>();

  constructor(socket: Duplex, head: Buffer, options: NodeLinksOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#long = new LongAnswers(socket, () => this.#becomeQuietIfIdle());
    const reader = new FrameReader((text, body) => this.#receive(text, joined(body)));
    const read = (chunk: Buffer): void => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#fail(error);
      }
    };
    socket.on('data', read);
    // A gateway that says nothing more waits for nothing more.
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
    // It may be paused, or of a release that says nothing back. Where this process was, what has come since is read before the end.
    setTimeout(() => setImmediate(() => this.#leave()), farewellMaxMs).unref();
  }

  /** Ends the link behind the answers that are ready. */
  end(): void {
    this.#flush();
    this.#long.sendAll();
    this.#socket.end();
    // A gateway that is paused would keep the connection, and this process with it.
    setTimeout(() => this.#socket.destroy(), endingMaxMs).unref();
  }

  #leave(): void {
    this.#isLeft = true;
    this.#becomeQuietIfIdle();
  }

  #becomeQuietIfIdle(): void {
    if (this.#isLeft && this.#waiting.size === 0 && this.#long.size === 0) this.#becomeQuiet();
  }

  #becomeQuiet(): void {
    this.#isQuiet = true;
    this.#quiet.resolve();
  }

  #receive(text: string, body: Buffer): void {
    const said = JSON.parse(text) as RequestsText | LeavingText;
    if (said[0] === 'leaving') {
      this.#leave();
      return;
    }
    const [requests, left, taken] = said;
    // Before any of them begins: none may get what belongs to another.
    const bodies = cutBodies(requests, body);
    // Before the requests, since those may use the slots of what was left.
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

  #begin([number, requestId, method, address, caller, headers]: RequestText, body: Buffer): void {
    const signal = new RequestSignal();
    this.#waiting.put(number, signal);
    this.#options.answer(
      { requestId, method, address, caller, headers, body, signal, link: this },
      (answer) => this.#reply(number, answer),
    );
  }

  #reply(number: number, answer: LinkAnswer): void {
    const isOpen = goesOn(answer.kind);
    const signal = isOpen ? this.#waiting.find(number) : this.#waiting.take(number);
    // Who left gets nothing.
    if (signal === undefined) return;
    // Alike parts go together, so two of one stream that went in one flush could change places.
    if (signal.flush === this.#nextFlush) this.#flush();
    if (isOpen) signal.flush = this.#nextFlush;
    if (isOpen || answer.own !== '') this.#gather(number, answer);
    else {
      const { shared } = answer;
      const text = answersTextOf(answer, [[number, '']]);
      if (!this.#addLaidOut(text, shared)) {
        if (isLong(shared)) this.#long.add(text, shared);
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

  /** @returns false for an answer that holds nothing which others hold too */
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
    this.#watchTaking();
    this.#becomeQuietIfIdle();
  }

  #watchTaking(): void {
    if (this.#readingTimer !== undefined || this.backlogBytes <= waitingMaxBytes) return;
    let hasTaken = !this.#socket.writableNeedDrain;
    const onDrain = (): void => {
      hasTaken = true;
    };
    this.#socket.once('drain', onDrain);
    const look = (): void => {
      this.#socket.off('drain', onDrain);
      this.#readingTimer = undefined;
      if (hasTaken) this.#watchTaking();
      else if (!this.#socket.destroyed)
        this.#fail(new Error('a gateway takes nothing of its answers'));
    };
    // Where this process was busy itself, what was taken meanwhile is seen before.
    this.#readingTimer = setTimeout(() => setImmediate(look), readingCheckMs).unref();
  }

  #write({ first, answers }: Alike): void {
    const text = answersTextOf(first, answers);
    if (isLong(first.shared)) this.#long.add(text, first.shared);
    else this.#send(text, first.shared);
  }

  #send(text: AnswersText | LeavingText, body: LinkBody = ''): void {
    // Behind the end nothing is said: it would cut off what is still on its way.
    if (this.#socket.writable) writeFrame(this.#socket, frameOf(JSON.stringify(text), body));
  }

  /** Its requests go on elsewhere, or are lost, since the gateway sees that the link is gone. */
  #fail(error: unknown): void {
    this.#options.onFault(error);
    this.#socket.destroy();
  }
}

/** @throws BrokenFrame where the lengths that the requests give are not those of their bodies */
function cutBodies(requests: readonly RequestText[], body: Buffer): readonly Buffer[] {
  let from = 0;
  const bodies = requests.map(([, , , , , , bodyBytes]) => {
    const to = from + bodyBytes;
    if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0 || to > body.length)
      throw new BrokenFrame('a request gives a wrong length of its body');
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

/** Whether it has to go in parts; a text is judged by its letters, which is near enough. */
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
  readonly #links = new Map<Duplex, NodeLink>();
  #isLeaving = false;
  #hasEnded = false;

  constructor(options: NodeLinksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#links.size;
  }

  /** Takes the upgrade of a connection, or refuses it: whoever has no valid identity is no gateway. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, nowMs = Date.now()): void {
    socket.on('error', () => socket.destroy());
    // As if nothing listened any more, which is so in a moment: a gateway goes elsewhere then.
    if (this.#hasEnded) {
      socket.destroy();
      return;
    }
    const header = request.headers[identityHeaderName];
    const identity = verifyIdentity(
      this.#options.identitySecrets,
      typeof header === 'string' ? header : undefined,
      nowMs,
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
      this.#links.set(socket, link);
      socket.on('close', () => this.#links.delete(socket));
      if (this.#isLeaving) link.sayLeaving();
    }
  }

  /**
   * Tells all gateways that this node stops. What it answers from then on comes behind that, so whoever polls again at the same
   * gateway for such an answer finds another node.
   */
  sayLeaving(): void {
    this.#isLeaving = true;
    for (const link of this.#links.values()) link.sayLeaving();
  }

  /** Tells gateways that this node stops, unless they know, and resolves when all that came is answered. */
  async finish(): Promise<void> {
    if (!this.#isLeaving) this.sayLeaving();
    const findBusy = (): NodeLink[] => [...this.#links.values()].filter(({ isQuiet }) => !isQuiet);
    // A gateway that has not heard of it yet may open a link meanwhile, and send its first requests before it hears.
    for (let busy = findBusy(); busy.length > 0; busy = findBusy())
      await Promise.all(busy.map(({ quiet }) => quiet));
  }

  /** Ends all links, and takes no more: polls that are not answered go on at other nodes. */
  end(): void {
    this.#hasEnded = true;
    for (const link of this.#links.values()) link.end();
  }
}

function refuse(socket: Duplex, status: string): void {
  // No server watches over such a connection, and whoever asks need not end its side of it.
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}
