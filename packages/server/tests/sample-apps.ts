import type { Caller } from '@parley/api';
import { RequestSignal, textOf } from '../src/links/index.ts';
import type { LinkAnswer, ReceivedRequest } from '../src/links/index.ts';

import { serveLinks } from '../src/link-adapter.ts';
import type { LinkHandler } from '../src/link-adapter.ts';
import { Pipeline } from '../src/pipeline.ts';
import type { PipelineOptions } from '../src/pipeline.ts';

export type AppOptions<Context> = PipelineOptions<Context> & {
  readonly answerHeaders?: Readonly<Record<string, string>>;
};

/** @returns the handler of requests over links */
export function createLinkApp<Context>(options: AppOptions<Context>): LinkHandler {
  return serveLinks(new Pipeline(options), options.answerHeaders);
}

export const member: Caller = {
  userId: 7,
  email: 'iago@example.com',
  role: 'member',
  botType: null,
  botOwnerId: null,
};

type Fields = Readonly<Record<string, string>>;

/** A request to an endpoint, as a gateway sends it. */
export type SampleRequest = Partial<Omit<ReceivedRequest, 'query' | 'body'>> & {
  readonly endpoint: string;
  readonly query?: Fields;
  /** Becomes the body, unless there is one. */
  readonly form?: Fields;
  readonly body?: string;
};

/** @returns the request with everything that a link carries; its caller is a member by default */
export function requestOf({ query = {}, form, body, ...given }: SampleRequest): ReceivedRequest {
  const fields = form === undefined ? '' : JSON.stringify(Object.entries(form));
  return {
    requestId: 'request-1',
    wants: 'whole',
    path: {},
    caller: member,
    headers: {},
    signal: new RequestSignal(),
    link: { backlogBytes: 0 },
    ...given,
    query: Object.entries(query),
    body: Buffer.from(body ?? fields),
  };
}

/** Sends a request, and gives its last answer. */
export function ask(app: LinkHandler, request: SampleRequest): Promise<LinkAnswer> {
  return new Promise((resolve) => app(requestOf(request), resolve));
}

/** The JSON of an answer. */
export function jsonOf({ shared, own }: LinkAnswer): unknown {
  return JSON.parse(textOf(shared) + own);
}
