/** Decodes an admitted request, once for gateway and service: the endpoint that it means, and the fields of its form. */
import { bodyTooLarge, limits, methodNotAllowed, takesJson } from '@parley/api';
import type { Endpoint, FormValues } from '@parley/api';
import { decodeBody } from '@parley/server';

import type { AdmittedRequest } from './admit.ts';
import type { Route } from './routes.ts';

export type DecodedRequest = {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
  readonly query: FormValues;
  readonly form: FormValues;
  /** The body for its service ({@link LinkedRequest}). */
  readonly body: Buffer;
};

const noForm: FormValues = new Map();
const noBody = Buffer.alloc(0);

/**
 * @param given the client's body
 * @throws ApiError 400 for a body that cannot be decoded or too many fields, 405 if the form names a method that the path does not have,
 *   413 if the body is too large for the method that it names
 */
export async function decodeRequest(
  { route, pathTexts, query }: AdmittedRequest,
  { method = '', contentType, body }: GivenRequest,
): Promise<DecodedRequest> {
  // It has no meaning (reference facts, people 2.2).
  const given = method === 'GET' || method === 'HEAD' ? noBody : body;
  const form = isForm(route, method, given) ? await decodeBody(method, contentType, given) : noForm;
  const endpoint = findMeantEndpoint(route, method, form);
  if (given.length > endpoint.limits.bodyMaxBytes) throw bodyTooLarge();
  const takesBytes = takesJson(endpoint) || endpoint.file !== 'none';
  return {
    endpoint,
    path: pathTexts,
    query: query.fields,
    form,
    body: takesBytes ? given : form.size === 0 ? noBody : Buffer.from(JSON.stringify([...form])),
  };
}

function isForm(route: Route, method: string, { length }: Buffer): boolean {
  if (length === 0) return false;
  // A JSON body must not be read as a form: a text in it could then name another stream.
  if (route.served.some(({ endpoint }) => takesJson(endpoint))) return false;
  // A large picture is only passed on, because looking for a method beside it would stop everything else for too long.
  const named = route.find(method)?.endpoint;
  return length <= limits.bodyMaxBytes || named === undefined || named.file === 'none';
}

export type GivenRequest = {
  readonly method: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Buffer;
};

/** A field of the form or, without one there, of the query (reference facts, people 2.2). */
export function findField(
  { form, query }: Pick<DecodedRequest, 'form' | 'query'>,
  name: string,
): string | undefined {
  return form.get(name) ?? query.get(name);
}

/** A POST may name another method in its form (reference facts, people 2.2). */
function findMeantEndpoint(route: Route, method: string, form: FormValues): Endpoint {
  const override = method === 'POST' ? form.get('method') : undefined;
  const found = route.find(override ?? method)?.endpoint;
  if (found === undefined) throw methodNotAllowed(route.allowedMethods);
  return found;
}
