/** The gateway's end of a link: one connection to an event node, for all polls that it holds there. */
import { request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';

import { identityHeaderName } from '@parley/contracts';
import type { Caller } from '@parley/contracts';

import { FrameReader, frameOf } from './frames.ts';
import { pollLinkPath, pollLinkProtocol } from './protocol.ts';
import { Slots } from './slots.ts';
import type { AnswersText, LeavingText, LinkAnswer, LinkedPoll, PollsText } from './protocol.ts';

/** The node was not reached: it has seen nothing of the polls. */
export class LinkUnreachable extends Error {}

/** The node answered by HTTP that it knows no links: it is of an older release. */
export class LinkRefused extends Error {}

/** The link was there and broke. */
export class LinkLost extends Error {}

export type LinkFault = LinkUnreachable | LinkRefused | LinkLost;

/** Who waits for the answer to a poll: told once, of its answer or of the end of the link. */
export type PollListener = {
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
  readonly lookEveryMs: number;
  /** Told when the node stops, before the answers that end its polls for it. */
  readonly onLeaving: () => void;
  /** Told first when the link is over. */
  readonly onClosed: (fault: LinkFault) => void;
};

/**
 * The node is lost after so many looks without a word. Where the network between the two is cut, no lease tells so, and TCP would go on
 * for a quarter of an hour. Looks are counted and no time is measured, since this process may have been paused itself.
 */
const silentLooksMax = 3;

/** Polls that begin together, as those of a node that died, go in frames of so many: a query may take kilobytes. */
const pollsPerFrame = 1_000;

export class GatewayLink {
  readonly #options: GatewayLinkOptions;
  readonly #listeners = new Slots<PollListener>();
  #socket: Socket | undefined;
  #begun: [number: number, requestId: string, query: string, caller: Caller][] = [];
  #left: number[] = [];
  #isFlushing = false;
  #isClosed = false;
  #silentLooks = 0;
  #lookTimer: NodeJS.Timeout | undefined;
  readonly #abandonOpening: () => void;

  /** Begins to connect. Polls may be given at once. */
  constructor(options: GatewayLinkOptions) {
    this.#options = options;
    const opening = sendRequest({
      host: options.hostname,
      port: options.port,
      path: pollLinkPath,
      agent: false,
      headers: {
        Connection: 'Upgrade',
        Upgrade: pollLinkProtocol,
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

  /** @returns polls whose answer is awaited */
  get size(): number {
    return this.#listeners.size;
  }

  /** Sends a poll. @returns the number by which it is left */
  poll({ requestId, query, caller }: LinkedPoll, listener: PollListener): number {
    const number = this.#listeners.add(listener);
    this.#begun.push([number, requestId, query, caller]);
    this.#flushSoon();
    return number;
  }

  /** Nobody waits for the answer any more. */
  leave(number: number): void {
    if (this.#listeners.take(number) === undefined) return;
    this.#left.push(number);
    this.#flushSoon();
  }

  /** Ends the link; polls that wait are told that it is lost. */
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
      this.#silentLooks = 0;
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
    this.#lookTimer = setInterval(() => this.#look(), this.#options.lookEveryMs);
    if (head.length > 0) read(head);
    this.#flush();
  }

  #look(): void {
    if (this.#silentLooks >= silentLooksMax) {
      this.#close(new LinkLost('the node says nothing any more'));
      return;
    }
    this.#silentLooks += 1;
    this.#say([[], []]);
  }

  #receive(text: string, body: Buffer): void {
    const said = JSON.parse(text) as AnswersText | LeavingText;
    if (said[0] === 'leaving') {
      this.#options.onLeaving();
      return;
    }
    const [status, headers, answers] = said;
    const shared = body.toString();
    for (const [number, own] of answers)
      this.#listeners.take(number)?.onLinkAnswer({ status, headers, shared, own });
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
    if (this.#socket === undefined || (this.#begun.length === 0 && this.#left.length === 0)) return;
    let left = this.#left;
    const leftAtOnce = new Set(left);
    // What was left before it was sent is not sent, and its slot may be in use again.
    const begun =
      left.length === 0 ? this.#begun : this.#begun.filter(([number]) => !leftAtOnce.has(number));
    this.#begun = [];
    this.#left = [];
    let from = 0;
    do {
      this.#say([begun.slice(from, from + pollsPerFrame), left]);
      from += pollsPerFrame;
      left = [];
    } while (from < begun.length);
  }

  #say(polls: PollsText): void {
    this.#socket?.write(frameOf(JSON.stringify(polls)));
  }

  #close(fault: LinkFault): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#abandonOpening();
    clearInterval(this.#lookTimer);
    this.#socket?.destroy();
    this.#options.onClosed(fault);
    for (const listener of this.#listeners) listener.onLinkFault(fault);
  }
}
