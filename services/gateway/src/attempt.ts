/** An attempt to send a request over the link to one node, and its answer to the client. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { changeWithinHeaderName, requestIdHeaderName } from '@parley/api';
import type { AfterLoss, Caller } from '@parley/api';
import {
  LinkUnreachable,
  bytesOf,
  isContinued,
  joined,
  partBytes,
  textOf,
} from '@parley/server/links';
import type {
  Link,
  LinkAnswer,
  LinkBody,
  LinkFault,
  LinkListener,
  LinkedHeaders,
  WantedAnswer,
} from '@parley/server/links';
import type { LiveNode } from '@parley/cluster/placement';
import { writeJson, writeWhole } from '@parley/server';
import type { Span } from '@parley/telemetry/tracing';

import { takeAccountChanges } from './account-changes.ts';
import type { OnAccountsChanged } from './account-changes.ts';
import type { AnswerCompression, CompressedAnswer } from './answer-compression.ts';
import type { AnswerHeaders } from './answer-headers.ts';
import type { DecodedRequest } from './decode-request.ts';

/** A request to forward, with its client. */
export type ForwardedRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly decoded: DecodedRequest;
  readonly caller: Caller | null;
  /** Those of the client's headers that its service needs. */
  readonly headers: LinkedHeaders;
  /** Headers of its answer, whether a service or the gateway answers. */
  readonly answerHeaders: AnswerHeaders;
  /** A cookie of the gateway's own, for an answer with status 200. */
  readonly ownCookie: string | undefined;
  /** A refusal must not make the browser open its dialog for a password. */
  readonly hidesChallenge: boolean;
  readonly requestId: string;
  /** The span of a traced request; each attempt is its child. */
  readonly span: Span | undefined;
  /** A send that the client itself may repeat, because it named its own key. */
  readonly hasOwnSendKey: boolean;
  /** The nodes to try, the preferred one first; called again for each round. */
  readonly candidates: () => LiveNode[];
  /** The longest wait for the beginning of one answer. */
  readonly answerTimeoutMs: number;
  /** Called with the bytes of an answer, or of each part of one, as its service made them. */
  readonly onAnswer: (bytes: number) => void;
};

export type AttemptEnd =
  /** The answer was sent to the client, completely or in part. */
  | 'answered'
  | 'client-gone'
  | 'unreachable'
  | 'lost'
  /** The node is alive but used up all the time. */
  | 'late'
  /** There is no memory to keep the answer, which can be made again. */
  | 'no-room';

/** The whole body of an answer. */
export function bodyOf({ shared, own }: LinkAnswer): LinkBody {
  return own === '' ? shared : textOf(shared) + own;
}

/** The most bytes that clients may leave unread. Above it, long answers to reads come in steps, no faster than the client reads. */
const unreadMaxBytes = 128 * 1_048_576;

/** The bytes of whole answers that clients have not read yet, all together. */
export class UnreadBytes {
  #bytes = 0;

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= unreadMaxBytes;
  }

  get isFull(): boolean {
    return !this.hasRoomFor(partBytes);
  }

  /** @param response that has been written completely */
  keep(response: Pick<ServerResponse, 'writableLength' | 'once'>): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    this.#bytes += bytes;
    response.once('close', () => {
      this.#bytes -= bytes;
    });
  }
}

/** What happens with answers besides sending them to their clients. */
export type AnswerTaking = {
  readonly compression: AnswerCompression;
  readonly unread: UnreadBytes;
  readonly onAccountsChanged: OnAccountsChanged;
};

/** What an attempt uses of the link to its node. */
type NodeLink = Pick<Link, 'send' | 'leave' | 'take' | 'isSilent'>;

/** The part of the wait in which a service may make a change. In the rest it says that it made none. */
export const changeShare = 0.7;

const repeatable: ReadonlySet<AfterLoss> = new Set(['read', 'repeat']);

export class Attempt implements LinkListener {
  readonly node: LiveNode;
  readonly forwarded: ForwardedRequest;
  readonly ended: Promise<AttemptEnd>;
  /** Its index in the list of running attempts. */
  index = -1;
  readonly #link: NodeLink;
  readonly #number: number;
  readonly #withholdsUnavailable: boolean;
  readonly #wants: WantedAnswer;
  readonly #taking: AnswerTaking;
  readonly #span: Span | undefined;
  readonly #resolve: (end: AttemptEnd) => void;
  #hasAnswer = false;
  #hasEnded = false;

  /**
   * Sends the request.
   *
   * @param options.waitMs the longest wait for the beginning of its answer
   * @param options.withholdsUnavailable a 503 would claim that nothing happened, which is unknown after an earlier attempt, so it is not
   *   passed on
   */
  constructor(
    { node, link }: { readonly node: LiveNode; readonly link: NodeLink },
    forwarded: ForwardedRequest,
    options: {
      readonly waitMs: number;
      readonly withholdsUnavailable: boolean;
      readonly wants: WantedAnswer;
      readonly taking: AnswerTaking;
    },
  ) {
    const { promise, resolve } = Promise.withResolvers<AttemptEnd>();
    const { decoded, requestId, caller, headers, span } = forwarded;
    const { endpoint, path, query, body } = decoded;
    this.node = node;
    this.forwarded = forwarded;
    this.ended = promise;
    this.#resolve = resolve;
    this.#link = link;
    this.#withholdsUnavailable = options.withholdsUnavailable;
    this.#wants = options.wants;
    this.#taking = options.taking;
    this.#span = span?.openChild(`forward to ${endpoint.service}`, {
      kind: 'client',
      attributes: { 'parley.node_id': node.nodeId },
    });
    const traceparent = (this.#span ?? span)?.traceparent;
    const changeWithinMs =
      endpoint.afterLoss === 'once' ? Math.floor(options.waitMs * changeShare) : undefined;
    this.#number = link.send(
      {
        requestId,
        endpoint: endpoint.name,
        wants: options.wants,
        path,
        query: [...query],
        caller,
        headers: {
          ...headers,
          ...(traceparent !== undefined && { traceparent }),
          ...(changeWithinMs !== undefined && { [changeWithinHeaderName]: String(changeWithinMs) }),
        },
        body,
      },
      this,
    );
  }

  /** Whether the client has a part of the answer. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  onLinkAnswer(answer: LinkAnswer): void {
    const { compression, onAccountsChanged, unread } = this.#taking;
    const headers = takeAccountChanges(answer.headers, onAccountsChanged);
    if (this.#hasEnded) return;
    if (isContinued(answer.kind)) {
      this.#writePart(answer, headers);
      return;
    }
    if (this.#hasAnswer) {
      this.#endStream(answer);
      return;
    }
    if (this.#withholdsUnavailable && answer.status === 503) {
      this.end('lost');
      return;
    }
    const body = bodyOf(answer);
    const mayComeAgain = this.#wants === 'whole' && this.#isHarmlessTwice;
    const bytes = bytesOf(body);
    if (mayComeAgain && !unread.hasRoomFor(bytes)) {
      this.end('no-room');
      return;
    }
    this.#hasAnswer = true;
    this.forwarded.onAnswer(bytes);
    const compressing = compression.begin(this.forwarded.request, answer);
    if (compressing === undefined) {
      this.#writeWhole(answer, { body, headers });
      return;
    }
    void compressing.then((compressed) =>
      this.#writeWhole(
        answer,
        compressed === undefined
          ? { body, headers }
          : { body: compressed.body, headers: { ...headers, ...compressed.headers } },
      ),
    );
  }

  onLinkFault(fault: LinkFault): void {
    if (this.#hasAnswer) this.#breakOff();
    else this.end(fault instanceof LinkUnreachable ? 'unreachable' : 'lost');
  }

  /** Gives up because the time is over. */
  expire(): void {
    if (!this.#hasAnswer) this.end(this.#link.isSilent ? 'lost' : 'late');
  }

  end(end: AttemptEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#link.leave(this.#number);
    this.#resolve(end);
    this.#span?.end(end === 'answered' || end === 'no-room' ? undefined : end);
  }

  /** Whether the request may be repeated although it was answered. */
  get #isHarmlessTwice(): boolean {
    return repeatable.has(this.forwarded.decoded.endpoint.afterLoss);
  }

  #headersOf(
    status: number,
    headers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string | string[]>> {
    const { answerHeaders, hidesChallenge, ownCookie, requestId } = this.forwarded;
    const all: Record<string, string | string[]> = {
      ...headers,
      ...answerHeaders,
      [requestIdHeaderName]: requestId,
    };
    if (ownCookie !== undefined && status === 200)
      all['Set-Cookie'] = [headers['Set-Cookie'], ownCookie].filter((each) => each !== undefined);
    if (hidesChallenge) Reflect.deleteProperty(all, 'WWW-Authenticate');
    return all;
  }

  #writeWhole({ kind, status }: LinkAnswer, { body, headers }: CompressedAnswer): void {
    const { response } = this.forwarded;
    // The client may have hung up meanwhile.
    if (!response.destroyed) {
      const all = this.#headersOf(status, headers);
      if (kind === 'json') writeJson(response, status, body, all);
      else writeWhole(response, status, body ?? '', all);
      this.#taking.unread.keep(response);
    }
    this.end('answered');
  }

  #writePart(
    { kind, status, shared }: LinkAnswer,
    headers: Readonly<Record<string, string>>,
  ): void {
    const { response } = this.forwarded;
    if (!this.#hasAnswer) {
      this.#hasAnswer = true;
      response.writeHead(status, this.#headersOf(status, headers));
    }
    this.forwarded.onAnswer(bytesOf(shared));
    response.write(bytesToWrite(shared), () => {
      if (kind === 'step' && !this.#hasEnded) this.#link.take(this.#number);
    });
  }

  #endStream({ kind, shared }: LinkAnswer): void {
    if (kind === 'broken') {
      this.#breakOff();
      return;
    }
    this.forwarded.response.end(bytesToWrite(shared));
    this.end('answered');
  }

  /** An answer that breaks off must not look complete. */
  #breakOff(): void {
    this.forwarded.response.destroy();
    this.end('answered');
  }
}

function bytesToWrite(body: LinkBody): string | Buffer {
  return typeof body === 'string' ? body : joined(body);
}
