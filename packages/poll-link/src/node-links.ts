/** The event node's end of its links, one for each gateway. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Caller } from '@parley/contracts';
import { identityHeaderName } from '@parley/contracts';
import { verifyIdentity } from '@parley/identity';

import { FrameReader, frameOf } from './frames.ts';
import { SlotTable } from './slots.ts';
import { pollLinkProtocol, pollLinkRequestId } from './protocol.ts';
import type { AnswersText, LeavingText, LinkAnswer, LinkedPoll, PollsText } from './protocol.ts';

/** As much of an AbortSignal as one poll needs, of which a node holds thousands. */
export class PollSignal {
  #aborted = false;
  #listener: (() => void) | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Keeps one listener: the poll waits for one thing at a time. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener !== undefined) throw new Error('a poll waits for one thing at a time');
    this.#listener = listener;
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  abort(): void {
    this.#aborted = true;
    this.#listener?.();
  }
}

/** A poll that a node is to answer. */
export type ReceivedPoll = LinkedPoll & {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: PollSignal;
};

export type NodeLinksOptions = {
  /** Secrets with which the gateway's identity may be signed. */
  readonly identitySecrets: readonly string[];
  /** Answers a poll by calling back once, refusals included; what it throws ends the link. */
  readonly answer: (poll: ReceivedPoll, reply: (answer: LinkAnswer) => void) => void;
  readonly onFault: (error: unknown) => void;
};

/** So many answers go together at most, so that a gateway begins to write the first while the others are still being made. */
const answersPerFrame = 128;

/** A gateway that does not see the end of a link is left after so long. */
const endingMaxMs = 1_000;

type Alike = { readonly first: LinkAnswer; readonly answers: [number, string][] };

class NodeLink {
  readonly #socket: Duplex;
  readonly #options: NodeLinksOptions;
  readonly #waiting = new SlotTable<PollSignal>();
  /** Answers of this moment, by what they share. */
  readonly #ready = new Map<string, Alike>();
  #isFlushing = false;

  constructor(socket: Duplex, head: Buffer, options: NodeLinksOptions) {
    this.#socket = socket;
    this.#options = options;
    const reader = new FrameReader((text) => this.#receive(text));
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
    });
    if (head.length > 0) read(head);
  }

  sayLeaving(): void {
    this.#send(['leaving']);
  }

  /** Ends the link behind the answers that are ready. */
  end(): void {
    this.#flush();
    this.#socket.end();
    // A gateway that is paused would keep the connection, and this process with it.
    setTimeout(() => this.#socket.destroy(), endingMaxMs).unref();
  }

  #receive(text: string): void {
    const [polls, left] = JSON.parse(text) as PollsText;
    // Before the polls, since those may use the slots of what was left.
    for (const number of left) this.#waiting.take(number)?.abort();
    for (const [number, requestId, query, caller] of polls)
      this.#begin(number, requestId, query, caller);
    if (polls.length === 0 && left.length === 0) this.#send([200, {}, []]);
  }

  #begin(number: number, requestId: string, query: string, caller: Caller): void {
    const signal = new PollSignal();
    this.#waiting.put(number, signal);
    this.#options.answer({ requestId, query, caller, signal }, (answer) =>
      this.#reply(number, answer),
    );
  }

  #reply(number: number, answer: LinkAnswer): void {
    // Who left gets nothing.
    if (this.#waiting.take(number) === undefined) return;
    const alike = this.#ready.get(answer.shared);
    if (alike === undefined || !isAlike(alike.first, answer)) {
      if (alike !== undefined) this.#write(alike);
      this.#ready.set(answer.shared, { first: answer, answers: [[number, answer.own]] });
    } else {
      alike.answers.push([number, answer.own]);
      if (alike.answers.length >= answersPerFrame) {
        this.#ready.delete(answer.shared);
        this.#write(alike);
      }
    }
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushing = false;
    for (const alike of this.#ready.values()) this.#write(alike);
    this.#ready.clear();
  }

  #write({ first, answers }: Alike): void {
    this.#send([first.status, first.headers, answers], first.shared);
  }

  #send(text: AnswersText | LeavingText, body?: string): void {
    // Behind the end nothing is said: it would cut off what is still on its way.
    if (this.#socket.writable) this.#socket.write(frameOf(JSON.stringify(text), body));
  }

  /** Its polls go on elsewhere, since the gateway sees that the link is gone. */
  #fail(error: unknown): void {
    this.#options.onFault(error);
    this.#socket.destroy();
  }
}

function isAlike(first: LinkAnswer, other: LinkAnswer): boolean {
  return first.status === other.status && first.headers === other.headers;
}

export class NodeLinks {
  readonly #options: NodeLinksOptions;
  readonly #links = new Map<Duplex, NodeLink>();
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
    if (identity?.requestId !== pollLinkRequestId) {
      refuse(socket, '401 Unauthorized');
    } else if (request.headers.upgrade !== pollLinkProtocol) {
      refuse(socket, '400 Bad Request');
    } else {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${pollLinkProtocol}\r\n\r\n`,
      );
      this.#links.set(socket, new NodeLink(socket, head, this.#options));
      socket.on('close', () => this.#links.delete(socket));
    }
  }

  /**
   * Tells all gateways that this node stops. What it answers from then on comes behind that, so whoever polls again for such an
   * answer finds another node.
   */
  sayLeaving(): void {
    for (const link of this.#links.values()) link.sayLeaving();
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
