/** A poll as a separate HTTP exchange with its node, if that knows no links or stops. */
import { request as sendRequest } from 'node:http';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

import { identityHeaderName, requestIdHeaderName } from '@parley/api';
import type { LiveNode } from '@parley/placement';

import type { AdmittedRequest } from './admit.ts';
import { endsAtGateway } from './forward.ts';
import { ConnectTimeout, limitConnecting, parseAddress } from './upstreams.ts';

/** The events of an exchange. After it was abandoned nothing is called. */
export type ExchangeListener = {
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly onFault: (error: Error) => void;
};

export class HttpExchange {
  readonly #upstream: ClientRequest;
  #wasLeft = false;

  constructor(
    request: IncomingMessage,
    admitted: AdmittedRequest,
    to: { readonly agent: Agent; readonly node: LiveNode; readonly identity: string },
    listener: ExchangeListener,
  ) {
    const upstream = sendRequest({
      agent: to.agent,
      ...parseAddress(to.node.address),
      method: request.method,
      path: admitted.path + admitted.query,
      headers: headersOf(request, admitted, to.node, to.identity),
    });
    this.#upstream = upstream;
    upstream.on('socket', (socket) => {
      limitConnecting(socket, () => upstream.destroy(new ConnectTimeout()));
    });
    upstream.on('error', (error) => {
      if (!this.#wasLeft) listener.onFault(error);
    });
    upstream.on('response', (answer) => {
      if (this.#wasLeft) answer.resume();
      else listener.onAnswer(answer);
    });
    upstream.end();
  }

  leave(): void {
    this.#wasLeft = true;
    this.#upstream.destroy();
  }
}

function headersOf(
  { rawHeaders }: IncomingMessage,
  { requestId }: AdmittedRequest,
  node: LiveNode,
  identity: string,
): string[] {
  const headers: string[] = ['host', node.address];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (endsAtGateway(lower) || lower === 'host' || lower === 'content-length') continue;
    headers.push(name, rawHeaders[index + 1] ?? '');
  }
  headers.push(requestIdHeaderName, requestId, identityHeaderName, identity);
  return headers;
}
