import { rawAnswer, noStoreHeaders } from '@parley/server';
import type { RawAnswer } from '@parley/server';

/**
 * @param url with its own query
 * @param query the request's query, which is passed on
 */
export function redirectToPicture(url: string, query: string): RawAnswer {
  const rest = withoutKey(query);
  return rawAnswer(302, { ...noStoreHeaders(), Location: rest === '' ? url : `${url}&${rest}` });
}

/** The caller's key must not reach another server with the rest of the query. */
function withoutKey(query: string): string {
  return query
    .split('&')
    .filter((part) => !/^api_key(?:=|$)/i.test(decodeName(part)))
    .join('&');
}

function decodeName(part: string): string {
  try {
    return decodeURIComponent(part.split('=', 1)[0]?.replaceAll('+', ' ') ?? '').trim();
  } catch {
    return '';
  }
}
