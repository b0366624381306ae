import type { FormValues } from '@parley/api';
import { rawAnswer, noStoreHeaders } from '@parley/server';
import type { RawAnswer } from '@parley/server';

/**
 * @param url with its own query
 * @param query the request's query, which is passed on, without the caller's key: it must not reach another server
 */
export function redirectToPicture(url: string, query: FormValues): RawAnswer {
  const rest = new URLSearchParams(
    [...query].filter(([name]) => name.trim().toLowerCase() !== 'api_key'),
  );
  return rawAnswer(302, {
    ...noStoreHeaders(),
    Location: rest.size === 0 ? url : `${url}&${rest.toString()}`,
  });
}
