/**
 * Finds the endpoint of a request from the declarations. An undeclared path gets 404 and an undeclared method 405, both before
 * authentication (reference facts, people 2.1 and 2.6).
 */
import { RouteTable, takesJson } from '@parley/api';
import type { Endpoint, Route as RouteOf, RouteMatch as RouteMatchOf } from '@parley/api';
import { endpoints, scimEndpoints } from '@parley/api/endpoints';

type Declared = { readonly endpoint: Endpoint };

export type Route = RouteOf<Declared>;

export type RouteMatch = RouteMatchOf<Declared>;

const table = new RouteTable([...endpoints, ...scimEndpoints].map((endpoint) => ({ endpoint })));

/**
 * The canonical spelling of a path: doubled slashes become one (reference facts, people 2.6), and percent escapes have the form that
 * services expect. An escaped slash stays escaped, because it is part of a segment.
 *
 * @returns undefined if an escape is invalid
 */
export function canonicalPath(path: string): string | undefined {
  const merged = path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
  if (!merged.includes('%')) return merged;
  try {
    return merged
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/');
  } catch {
    return undefined;
  }
}

/**
 * Finds the route of a path in its canonical spelling.
 *
 * @param path without query
 */
export function findRoute(path: string): RouteMatch | undefined {
  return table.find(path);
}

const overridable = ['PATCH', 'PUT', 'DELETE'] as const;

/**
 * The endpoint of a method on a path. A POST to a path that has PATCH, PUT or DELETE passes, because a form field `method` may name one of
 * those (reference facts, people 2.2).
 */
export function findEndpoint(route: Route, method: string): Endpoint | undefined {
  const found = route.find(method);
  if (found !== undefined || method !== 'POST') return found?.endpoint;
  if (route.served.some(({ endpoint }) => takesJson(endpoint))) return undefined;
  return overridable
    .map((candidate) => route.find(candidate))
    .find((candidate) => candidate !== undefined)?.endpoint;
}
