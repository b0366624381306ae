/** Most clients send the same credentials again and again on a connection, so they are parsed once and again only when they change. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { parseAuthorization } from './authenticate.ts';
import type { Credentials } from './authenticate.ts';

const lastCredentials = Symbol('last credentials');

type CredentialSocket = Socket & {
  [lastCredentials]?: { readonly header: string; readonly credentials: Credentials };
};

/**
 * The credentials of a request's Authorization header. They are still verified for each request.
 *
 * @throws ApiError 401 or 400 like `parseAuthorization`
 */
export function readAuthorization({
  headers: { authorization },
  socket,
}: Pick<IncomingMessage, 'headers' | 'socket'>): Credentials {
  const typed: CredentialSocket = socket;
  const known = typed[lastCredentials];
  if (known !== undefined && known.header === authorization) return known.credentials;
  const credentials = parseAuthorization(authorization);
  if (authorization !== undefined) typed[lastCredentials] = { header: authorization, credentials };
  return credentials;
}
