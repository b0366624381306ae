import type { OperationBelowRoot, OperationName } from './operation-types.ts';

/** Operations whose paths are not below `/api/v1`. A missing one does not compile. */
const operationsBelowRoot: Readonly<Record<OperationBelowRoot, true>> = {
  'GET /user_uploads/{realm_id}/{path}': true,
  'GET /thumbnail': true,
  'GET /avatar/{email_or_id}': true,
  'GET /avatar/{email_or_id}/medium': true,
  'GET /user_avatars/{realm_id}/{file}': true,
  'GET /static/images/default-avatar.png': true,
  'GET /static/images/default-avatar-medium.png': true,
  'GET /user_avatars/{realm_id}/realm/{file}': true,
  'GET /static/images/logo/parley-logo.png': true,
  'GET /static/images/logo/parley-logo-night.png': true,
  'GET /user_avatars/{realm_id}/emoji/images/{file}': true,
  'GET /static/generated/emoji/images/emoji/unicode/zulip.png': true,
};

/** A request for `fetch`, without credentials. */
export type EncodedRequest = {
  readonly url: string;
  readonly method: string;
  readonly body: URLSearchParams | FormData | string | undefined;
  readonly contentType: string | undefined;
};

/** @returns the address without a slash at the end and without `/api` or `/api/v1`, which some configurations contain */
export function rootOf(site: string): string {
  return new URL(site).href.replace(/[?#].*$/, '').replace(/\/*(?:\/api(?:\/v1)?)?\/*$/, '');
}

// Strings are sent unchanged, all other values as JSON (contract, Conventions 4 and 5).
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `/` is not encoded in a path below the root, where the last part is a file's path. */
function segmentOf(value: unknown, isBelowRoot: boolean): string {
  const encoded = encodeURIComponent(textOf(value)).replaceAll('%40', '@');
  return isBelowRoot ? encoded.replaceAll('%2F', '/') : encoded;
}

/**
 * Encodes a request for the interface: parameters in the query of a GET, otherwise in a form; files in a multipart form with the other
 * parameters in the query; `body` as JSON. Undefined values are omitted.
 *
 * @param root the server's address, from `rootOf`
 * @throws TypeError if a parameter of the path is missing
 */
export function encodeRequest(
  root: string,
  operation: OperationName,
  parameters: Readonly<Record<string, unknown>>,
): EncodedRequest {
  const [method = '', template = ''] = operation.split(' ');
  const isBelowRoot = Object.hasOwn(operationsBelowRoot, operation);
  const given = new Map(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name);
    if (value === undefined) throw new TypeError(`${operation} needs the parameter ${name}`);
    given.delete(name);
    return segmentOf(value, isBelowRoot);
  });
  const json = given.get('body');
  if (json !== undefined) given.delete('body');
  const files = [...given].filter(([, value]) => value instanceof Blob);
  const texts = new URLSearchParams(
    [...given]
      .filter(([, value]) => !(value instanceof Blob))
      .map(([name, value]) => [name, textOf(value)]),
  );
  const isInQuery = method === 'GET' || json !== undefined || files.length > 0;
  const query = isInQuery && texts.size > 0 ? `?${texts.toString()}` : '';
  const url = `${root}${isBelowRoot ? '' : '/api/v1'}${path}${query}`;
  if (method === 'GET') return { url, method, body: undefined, contentType: undefined };
  if (json !== undefined)
    return { url, method, body: JSON.stringify(json), contentType: 'application/json' };
  if (files.length === 0) return { url, method, body: texts, contentType: undefined };
  const form = new FormData();
  for (const [name, file] of files) if (file instanceof Blob) form.append(name, file);
  return { url, method, body: form, contentType: undefined };
}
