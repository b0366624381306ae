/**
 * Calls a URL that a member of the organization chose. No byte goes to an address that the rules refuse, whatever the host's name, its
 * resolution or its redirects. A call ends in time with a bounded answer, whatever the other side does.
 */
import type { IncomingMessage } from 'node:http';

import { ReceivedBytes } from '@parley/server';

import { CallFault, faultOf } from './call-fault.ts';
import { sendGuarded } from './guarded-request.ts';
import type { GuardedOptions } from './guarded-request.ts';

export type ServiceCall = {
  readonly url: string;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

export type ServiceAnswer = {
  readonly status: number;
  readonly text: string;
  /** How long the service wants to be left alone (RFC 9110, 10.2.3), as it says it. */
  readonly retryAfter: string | undefined;
};

/** The result of a call; `called-off` if the process ended first, so the result is unknown. */
export type CallResult =
  | ({ readonly kind: 'answer' } & ServiceAnswer)
  | { readonly kind: 'timeout' }
  | { readonly kind: 'connection' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'fault'; readonly type: string; readonly text: string };

/** `timeoutMs` is for the head of each answer; the whole call may take twice this time. */
export type CallOptions = GuardedOptions & {
  /** A redirect beyond this number is a fault. */
  readonly redirectsMax?: number;
};

const redirectsMaxByDefault = 5;
/** Above the largest message that fits into an answer, even if every character is escaped. */
const answerMaxBytes = 256 * 1024;
/** Above the size of any message with all its data, except with thousands of reactions. */
const requestMaxBytes = 1024 * 1024;

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** Redirects that repeat the request unchanged; after the others, the new address is only fetched, as in all clients. */
const repeatingStatuses = new Set([307, 308]);

type Hop = { readonly url: URL; readonly method: 'GET' | 'POST' };

function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base)) throw new CallFault('InvalidURL', 'The URL cannot be read.');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new CallFault('InvalidURL', 'Only http and https can be called.');
  return url;
}

/** Credentials of the bot's own URL, for its own server only. */
function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const plain = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  const credentials = Buffer.from(`${plain(username)}:${plain(password)}`).toString('base64');
  return { authorization: `Basic ${credentials}` };
}

/** @param isCutAtBound whether the rest beyond the bound is dropped; otherwise it is a fault */
async function readText(response: IncomingMessage, isCutAtBound: boolean): Promise<string> {
  const received = new ReceivedBytes();
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received.add(chunk);
    if (received.length <= answerMaxBytes) continue;
    if (!isCutAtBound)
      throw new CallFault('AnswerTooLarge', `The answer is longer than ${answerMaxBytes} bytes.`);
    break;
  }
  return new TextDecoder().decode(received.whole().subarray(0, answerMaxBytes));
}

async function request(
  { url, method }: Hop,
  call: ServiceCall,
  isOwnServer: boolean,
  options: CallOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const body = method === 'POST' ? call.body : undefined;
  return sendGuarded(
    {
      url,
      method,
      headers: {
        ...call.headers,
        accept: 'application/json',
        ...(isOwnServer ? authorizationOf(parseUrl(call.url)) : {}),
        ...(body !== undefined && { 'content-type': call.contentType }),
      },
      body,
    },
    options,
    signal,
  );
}

function nextHop({ url, method }: Hop, response: IncomingMessage): Hop | undefined {
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  if (!redirectStatuses.has(status) || location === undefined) return undefined;
  const next = parseUrl(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw new CallFault('InvalidRedirect', 'A redirect leads from https to http.');
  return { url: next, method: repeatingStatuses.has(status) ? method : 'GET' };
}

async function follow(
  call: ServiceCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  if (Buffer.byteLength(call.body) > requestMaxBytes)
    throw new CallFault('RequestTooLarge', `The message is longer than ${requestMaxBytes} bytes.`);
  const first: Hop = { url: parseUrl(call.url), method: 'POST' };
  const { redirectsMax = redirectsMaxByDefault } = options;
  let hop = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const isOwnServer = hop.url.origin === first.url.origin;
    const response = await request(hop, call, isOwnServer, options, signal);
    try {
      const next = nextHop(hop, response);
      if (next === undefined) {
        const status = response.statusCode ?? 0;
        const text = await readText(response, status < 200 || status > 299);
        // A body that lasts until the connection ends looks complete after an abort.
        signal.throwIfAborted();
        return { status, text, retryAfter: response.headers['retry-after'] };
      }
      hop = next;
    } finally {
      response.destroy();
    }
  }
  throw new CallFault('TooManyRedirects', `There are more than ${redirectsMax} redirects.`);
}

/**
 * Makes one call, with its redirects.
 *
 * @param signal aborts the call
 * @returns the outcome; never rejects
 */
export async function callService(
  call: ServiceCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  const late = new AbortController();
  const timer = options.clock.after(2 * options.timeoutMs, () => late.abort());
  try {
    const either = AbortSignal.any([signal, late.signal]);
    return { kind: 'answer', ...(await follow(call, options, either)) };
  } catch (error) {
    if (signal.aborted) return { kind: 'called-off' };
    if (late.signal.aborted) return { kind: 'timeout' };
    return faultOf(error);
  } finally {
    timer.cancel();
  }
}
