/** Most clients say on a connection again and again who they are: it is taken apart once, and again when they say something else. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { parseAuthorization } from './authenticate.ts';
import type { Credentials } from './authenticate.ts';

const lastSaid = Symbol('credentials that were said last');

type SpeakingSocket = Socket & {
  [lastSaid]?: { readonly header: string; readonly credentials: Credentials };
};

/**
 * The credentials of a request's Authorization header. Whether they are right is asked for each request.
 *
 * @throws ApiError 401 or 400 as `parseAuthorization`
 */
export function readAuthorization({
  headers: { authorization },
  socket,
}: Pick<IncomingMessage, 'headers' | 'socket'>): Credentials {
  const speaking: SpeakingSocket = socket;
  const said = speaking[lastSaid];
  if (said !== undefined && said.header === authorization) return said.credentials;
  const credentials = parseAuthorization(authorization);
  if (authorization !== undefined) speaking[lastSaid] = { header: authorization, credentials };
  return credentials;
}
