import { rawAnswer, unkeptHeaders } from '@parley/http';
import type { RawAnswer } from '@parley/http';

/** What endpoints declare that tell where a picture is. */
export const redirection = {
  access: { authentication: 'required' },
  rawResponse: {
    status: 302,
    description: 'A redirection to the picture',
    headers: { Location: 'Where the picture is' },
  },
  response: { type: 'object' },
} as const;

/**
 * @param url with a query of its own
 * @param query what was asked with, which is passed on
 */
export function redirectToPicture(url: string, query: string): RawAnswer {
  const rest = withoutKey(query);
  return rawAnswer(302, { ...unkeptHeaders(), Location: rest === '' ? url : `${url}&${rest}` });
}

/** The key of whoever asks must not reach another server with the rest of the query. */
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
