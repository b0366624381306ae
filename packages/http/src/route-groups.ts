import { methodNotAllowed, notFound } from '@parley/contracts';

import type { Endpoint } from './endpoint.ts';
import type { FormValues } from './form-text.ts';

/** Endpoints that share a path; the method chooses among them (reference facts, people 2.6). */
export type RouteGroup<Context> = {
  readonly path: string;
  readonly below: 'api' | 'root';
  readonly isPrefix: boolean;
  readonly endpoints: readonly Endpoint<Context>[];
};

const sortDigits: Readonly<Record<string, string>> = { ':': '1', '*': '2' };

/** A fixed segment goes before a placeholder at the same place, so `users/me` is never taken for an address. */
function sortKey(path: string): string {
  return path
    .split('/')
    .map((segment) => sortDigits[segment.slice(0, 1)] ?? `0${segment}`)
    .join('/');
}

/**
 * Groups endpoints by path, in the order in which paths are tried.
 *
 * @throws TypeError when two endpoints share path and method, or a name
 */
export function groupRoutes<Context>(
  endpoints: readonly Endpoint<Context>[],
): readonly RouteGroup<Context>[] {
  const names = new Set<string>();
  for (const { name } of endpoints) {
    if (names.has(name)) throw new TypeError(`two endpoints are named ${name}`);
    names.add(name);
  }
  const byPath = Map.groupBy(endpoints, ({ below, path }) => `${below} ${path}`);
  const groups = [...byPath.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { path, below } = first;
    const methods = new Set(members.map((endpoint) => endpoint.method));
    if (methods.size !== members.length || (methods.has('ANY') && methods.size > 1)) {
      throw new TypeError(`${path} has two endpoints for one method`);
    }
    return [
      {
        path,
        below,
        isPrefix: members.some((endpoint) => endpoint.matching === 'prefix'),
        endpoints: members,
      },
    ];
  });
  return groups.toSorted((left, right) => (sortKey(left.path) < sortKey(right.path) ? -1 : 1));
}

const everyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods of a path as the 405 answer lists them: declared order, HEAD last where GET exists. */
export function allowedMethods<Context>(
  endpoints: readonly Endpoint<Context>[],
): readonly string[] {
  const methods = endpoints.flatMap(({ method }) => (method === 'ANY' ? everyMethod : [method]));
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

/** The endpoint of a method; HEAD is served by GET. */
export function findEndpoint<Context>(
  endpoints: readonly Endpoint<Context>[],
  method: string,
): Endpoint<Context> | undefined {
  const served = method === 'HEAD' ? 'GET' : method;
  return endpoints.find(
    (endpoint) =>
      endpoint.method === served || (endpoint.method === 'ANY' && everyMethod.includes(served)),
  );
}

/**
 * Whether the body of a path is JSON, which may be labelled as a form (reference facts, people 16.1). What it says must not be read as
 * one: whoever writes a text in it could name another stream there.
 */
export function takesJson<Context>(endpoints: readonly Endpoint<Context>[]): boolean {
  return endpoints.some((endpoint) => endpoint.parameters.some(({ from }) => from === 'body'));
}

/**
 * The endpoint that a request means: a POST may name another method in its form.
 *
 * @throws ApiError 405
 */
export function findMeantEndpoint<Context>(
  endpoints: readonly Endpoint<Context>[],
  method: string,
  form: FormValues,
): Endpoint<Context> {
  const override = method === 'POST' ? form.get('method') : undefined;
  const endpoint = findEndpoint(endpoints, override ?? method);
  if (endpoint === undefined) throw methodNotAllowed(allowedMethods(endpoints));
  return endpoint;
}

/** Tells whether every path parameter can be what the path holds; an id that is no number is an unknown path. */
export function pathMatches<Context>(
  endpoint: Endpoint<Context>,
  path: Readonly<Record<string, string | undefined>>,
): boolean {
  return endpoint.parameters.every((parameter) => {
    if (parameter.from !== 'path') return true;
    const text = path[parameter.name];
    if (text === undefined) throw notFound();
    return parameter.matches(text);
  });
}
