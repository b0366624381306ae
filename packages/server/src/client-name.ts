import { limits } from '@parley/api';

/** The name of the sending client (reference facts, messages 3.6 and people 2.7). */

const unspecified = 'Unspecified';

/** What a person uses in a browser; its messages are read by their sender. */
const browserSession = 'website';

/**
 * The product name in a User-Agent: the first run without `/` and space, extended by what is no digit, `/` or `(`, cut
 * back to the longest text that ends at the end, before a `/` or before a space.
 */
export function productName(userAgent: string): string {
  let runEnd = 0;
  while (runEnd < userAgent.length && userAgent[runEnd] !== '/' && userAgent[runEnd] !== ' ')
    runEnd += 1;
  let end = runEnd;
  while (end < userAgent.length && !/[0-9/(]/.test(userAgent.charAt(end))) end += 1;
  // The end of the first run always fits, so the search ends there at the latest.
  while (end > runEnd && end < userAgent.length && userAgent[end] !== '/' && userAgent[end] !== ' ')
    end -= 1;
  return userAgent.slice(0, end);
}

export type ClientFacts = {
  /** The query parameter `client`. */
  readonly query: string | undefined;
  /** The body parameter `client`. */
  readonly body: string | undefined;
  /** Whether the request came by a browser's session. */
  readonly hasSession: boolean;
  readonly userAgent: string | undefined;
};

/** @returns at most 30 code points, never empty, without U+0000 */
export function clientNameOf({ query, body, hasSession, userAgent }: ClientFacts): string {
  const candidates = [
    query,
    body,
    hasSession ? browserSession : userAgent && productName(userAgent),
  ];
  for (const candidate of candidates) {
    const name = candidate?.replaceAll('\0', '').toWellFormed().trim() ?? '';
    if (name !== '') return cutToCodePoints(name, limits.clientNameMaxCodePoints);
  }
  return unspecified;
}

function cutToCodePoints(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('');
}
