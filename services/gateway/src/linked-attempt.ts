/** An attempt over the link to its node. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { requestIdHeaderName } from '@parley/api';
import { writeJson, writeWhole } from '@parley/server';
import {
  LinkRefused,
  LinkUnreachable,
  bytesOf,
  linkedHeaderNames,
  notOverLinksStatus,
  partBytes,
  textOf,
} from '@parley/links';
import type {
  GatewayLink,
  LinkAnswer,
  LinkBody,
  LinkFault,
  LinkListener,
  LinkedHeaders,
} from '@parley/links';

import { takeAccountChanges } from './account-changes.ts';
import type { OnAccountsChanged } from './account-changes.ts';
import type { AnswerCompression, CompressedAnswer } from './answer-compression.ts';
import type { Attempt, ForwardedRequest } from './attempt.ts';

/** The whole body of an answer. */
export function bodyOf({ shared, own }: LinkAnswer): LinkBody {
  return own === '' ? shared : textOf(shared) + own;
}

/** The most bytes that clients may leave unread. Above it, repeatable requests use HTTP, which reads no faster than the client. */
const unreadMaxBytes = 128 * 1_048_576;

/** The bytes of answers from links that clients have not read yet, all together. */
export class UnreadAnswers {
  #bytes = 0;

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= unreadMaxBytes;
  }

  /** Whether there is no room. Then a request that might have to be repeated by HTTP should not use a link. */
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

function headersOf(
  request: IncomingMessage,
  { compresses, takesCookies }: Pick<ForwardedRequest, 'compresses' | 'takesCookies'>,
  traceparent: string | undefined,
): LinkedHeaders {
  const headers: Record<string, string> = {};
  for (const name of linkedHeaderNames) {
    const value = request.headers[name];
    const isWanted =
      (name !== 'accept-encoding' || compresses) && (name !== 'cookie' || takesCookies);
    if (typeof value === 'string' && isWanted) headers[name] = value;
  }
  if (traceparent !== undefined) headers['traceparent'] = traceparent;
  return headers;
}

/** What happens with an answer besides sending it to the client. */
type AnswerTaking = {
  readonly compression: AnswerCompression;
  readonly unread: UnreadAnswers;
  readonly onAccountsChanged: OnAccountsChanged;
};

class LinkedAttempt implements LinkListener {
  readonly #attempt: Attempt;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #taking: AnswerTaking;

  constructor(
    attempt: Attempt,
    request: IncomingMessage,
    response: ServerResponse,
    taking: AnswerTaking,
  ) {
    this.#attempt = attempt;
    this.#request = request;
    this.#response = response;
    this.#taking = taking;
  }

  onLinkAnswer(answer: LinkAnswer): void {
    const attempt = this.#attempt;
    const { compression, unread, onAccountsChanged } = this.#taking;
    const headers = takeAccountChanges(answer.headers, onAccountsChanged);
    if (attempt.hasEnded) return;
    if (answer.status === notOverLinksStatus) {
      attempt.end({ kind: 'not-linked' });
      return;
    }
    if (attempt.withholdsUnavailable && answer.status === 503) {
      attempt.end({ kind: 'lost' });
      return;
    }
    const body = bodyOf(answer);
    if (attempt.isHarmlessTwice && !unread.hasRoomFor(bytesOf(body))) {
      attempt.end({ kind: 'not-linked' });
      return;
    }
    attempt.hasHeaders = true;
    const compressing = compression.begin(this.#request, answer);
    if (compressing === undefined) {
      this.#write(answer, { body, headers });
      return;
    }
    void compressing.then((compressed) =>
      this.#write(
        answer,
        compressed === undefined
          ? { body, headers }
          : { body: compressed.body, headers: { ...headers, ...compressed.headers } },
      ),
    );
  }

  #write({ kind, status }: LinkAnswer, { body, headers }: CompressedAnswer): void {
    const response = this.#response;
    const { answerHeaders, hidesChallenge, requestId } = this.#attempt.request;
    // The client may have hung up meanwhile.
    if (!response.destroyed) {
      const all = { ...headers, ...answerHeaders, [requestIdHeaderName]: requestId };
      if (hidesChallenge) Reflect.deleteProperty(all, 'WWW-Authenticate');
      if (kind === 'json') writeJson(response, status, body, all);
      else writeWhole(response, status, body ?? '', all);
      this.#taking.unread.keep(response);
    }
    this.#attempt.end({ kind: 'answered' });
  }

  onLinkFault(fault: LinkFault): void {
    const attempt = this.#attempt;
    if (attempt.hasEnded) return;
    if (fault instanceof LinkRefused) attempt.end({ kind: 'not-linked' });
    else attempt.end({ kind: fault instanceof LinkUnreachable ? 'unreachable' : 'lost' });
  }
}

/** Sends the request of an attempt over a link, and the answer to the client. */
export function sendOverLink(
  link: GatewayLink,
  attempt: Attempt,
  exchange: {
    readonly request: IncomingMessage;
    readonly body: Buffer;
    readonly response: ServerResponse;
  },
  taking: AnswerTaking,
): void {
  const { request, body, response } = exchange;
  const { requestId, address, caller, span } = attempt.request;
  const number = link.send(
    {
      requestId,
      method: request.method ?? '',
      address,
      caller,
      headers: headersOf(request, attempt.request, (attempt.span ?? span)?.traceparent),
      body,
    },
    new LinkedAttempt(attempt, request, response, taking),
  );
  attempt.link = link;
  attempt.upstream = { destroy: () => link.leave(number) };
}
