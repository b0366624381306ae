/** An attempt over the link of its node. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { requestIdHeaderName } from '@parley/contracts';
import { writeJson } from '@parley/http';
import { LinkRefused, LinkUnreachable, linkedHeaderNames, notOverLinksStatus } from '@parley/links';
import type {
  GatewayLink,
  LinkAnswer,
  LinkFault,
  LinkListener,
  LinkedHeaders,
} from '@parley/links';

import type { Attempt } from './attempt.ts';

/** The whole text of an answer. */
export function textOf({ shared, own }: LinkAnswer): string | Buffer {
  return own === '' ? shared : shared.toString() + own;
}

function headersOf(request: IncomingMessage, traceparent: string | undefined): LinkedHeaders {
  const headers: Record<string, string> = {};
  for (const name of linkedHeaderNames) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  if (traceparent !== undefined) headers['traceparent'] = traceparent;
  return headers;
}

class LinkedAttempt implements LinkListener {
  readonly #attempt: Attempt;
  readonly #response: ServerResponse;

  constructor(attempt: Attempt, response: ServerResponse) {
    this.#attempt = attempt;
    this.#response = response;
  }

  onLinkAnswer(answer: LinkAnswer): void {
    const attempt = this.#attempt;
    if (attempt.hasEnded) return;
    if (answer.status === notOverLinksStatus) {
      attempt.end({ kind: 'not-linked' });
      return;
    }
    if (attempt.withholdsUnavailable && answer.status === 503) {
      attempt.end({ kind: 'lost' });
      return;
    }
    attempt.hasHeaders = true;
    const { answerHeaders, requestId } = attempt.request;
    writeJson(this.#response, answer.status, textOf(answer), {
      ...answer.headers,
      ...answerHeaders,
      [requestIdHeaderName]: requestId,
    });
    attempt.end({ kind: 'answered' });
  }

  onLinkFault(fault: LinkFault): void {
    const attempt = this.#attempt;
    if (attempt.hasEnded) return;
    if (fault instanceof LinkRefused) attempt.end({ kind: 'not-linked' });
    else attempt.end({ kind: fault instanceof LinkUnreachable ? 'unreachable' : 'lost' });
  }
}

/** Sends the request of an attempt over a link, and its answer to the client. */
export function sendOverLink(
  link: GatewayLink,
  attempt: Attempt,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const { requestId, address, caller, span } = attempt.request;
  const number = link.send(
    {
      requestId,
      method: request.method ?? '',
      address,
      caller,
      headers: headersOf(request, (attempt.span ?? span)?.traceparent),
      body,
    },
    new LinkedAttempt(attempt, response),
  );
  attempt.upstream = { destroy: () => link.leave(number) };
}
