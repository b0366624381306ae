import { apiPathPrefix } from './api-path.ts';
import type { Endpoint } from './endpoint.ts';
import { parsePath } from './path.ts';
import type { Segment } from './path.ts';

/** The only matcher of paths. */

/** The methods in the order in which answers list them; HEAD is served by GET. */
const everyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** `ANY` comes first, and is alone on its path. */
function placeOf({ endpoint: { method } }: Routed): number {
  return everyMethod.findIndex((each) => each === method);
}

/** Anything made from a declaration: the declaration itself at the gateway, with its handler in a service. */
type Routed = { readonly endpoint: Endpoint };

/** The endpoints of one path; the method chooses among them (reference facts, people 2.6). */
export class Route<Served extends Routed> {
  /** The full declared path, for logs and metrics: it contains no value of a request. */
  readonly pattern: string;
  /** In the order of their methods. */
  readonly served: readonly Served[];

  constructor(pattern: string, served: readonly Served[]) {
    this.pattern = pattern;
    this.served = served.toSorted((left, right) => placeOf(left) - placeOf(right));
  }

  /** The methods of the path in the order of the 405 answer: HEAD last if GET exists. */
  get allowedMethods(): readonly string[] {
    const methods = this.served.flatMap(({ endpoint: { method } }) =>
      method === 'ANY' ? everyMethod : [method],
    );
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  }

  /** @returns the endpoint of a method; GET also serves HEAD */
  find(method: string): Served | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    return this.served.find(
      ({ endpoint }) =>
        endpoint.method === wanted ||
        (endpoint.method === 'ANY' && everyMethod.some((each) => each === wanted)),
    );
  }
}

export type RouteMatch<Served extends Routed> = {
  readonly route: Route<Served>;
  /** The decoded texts of path parameters. */
  readonly path: Readonly<Record<string, string>>;
};

type CompiledRoute<Served extends Routed> = {
  readonly route: Route<Served>;
  readonly segments: readonly Segment[];
  readonly isPrefix: boolean;
};

const noTexts = {};

const sortDigits = { literal: '0', parameter: '1', rest: '2' } as const;

/** A literal segment has priority over a parameter at the same place, so that `users/me` is never taken for an address. */
function sortKey(segments: readonly Segment[]): string {
  return segments
    .map((segment) => sortDigits[segment.kind] + (segment.kind === 'literal' ? segment.text : ''))
    .join('/');
}

function fullPath({ below, path }: Endpoint): string {
  return below === 'api' ? apiPathPrefix + path : path;
}

/** Finds the endpoints of paths. */
export class RouteTable<Served extends Routed> {
  /** For paths without parameters, which most requests have: found directly. */
  readonly #literal = new Map<string, RouteMatch<Served>>();
  /** The candidates of a path, by its number of segments; the last are for all longer paths. In the order of the attempts. */
  readonly #byLength: readonly (readonly CompiledRoute<Served>[])[];

  /** @throws TypeError if two endpoints share path and method, or a name */
  constructor(all: readonly Served[]) {
    checkNames(all);
    const byPath = Map.groupBy(all, ({ endpoint }) => fullPath(endpoint));
    const compiled = [...byPath].map(([pattern, served]): CompiledRoute<Served> => {
      checkMethods(pattern, served);
      return {
        route: new Route(pattern, served),
        segments: parsePath(pattern),
        isPrefix: served.some(({ endpoint }) => endpoint.matching === 'prefix'),
      };
    });
    for (const { route, segments } of compiled) {
      if (segments.every(({ kind }) => kind === 'literal'))
        this.#literal.set(route.pattern, { route, path: noTexts });
    }
    const patterns = compiled
      .filter(({ route, isPrefix }) => isPrefix || !this.#literal.has(route.pattern))
      .toSorted((left, right) => (sortKey(left.segments) < sortKey(right.segments) ? -1 : 1));
    const longest = Math.max(0, ...patterns.map(({ segments }) => segments.length));
    this.#byLength = Array.from({ length: longest + 2 }, (_, length) =>
      patterns.filter((pattern) => hasLength(pattern, length)),
    );
  }

  /**
   * Finds the route of a path. A trailing slash makes another, unknown path, except for webhooks.
   *
   * @param path in its canonical spelling, without the query
   * @returns undefined for a path without an endpoint, and for a path parameter with an impossible value, such as an id that is not a
   *   number
   */
  find(path: string): RouteMatch<Served> | undefined {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return literal;
    if (!path.startsWith('/')) return undefined;
    const texts = path.slice(1).split('/');
    for (const { route, segments } of this.#byLength[texts.length] ?? this.#byLength.at(-1) ?? []) {
      if (!hasLiterals(segments, texts)) continue;
      const found = readTexts(segments, texts);
      if (found === undefined) continue;
      const served = route.served.filter(({ endpoint }) => isPathOf(endpoint, found));
      if (served.length === 0) continue;
      return {
        route: served.length === route.served.length ? route : new Route(route.pattern, served),
        path: found,
      };
    }
    return undefined;
  }
}

function checkNames(all: readonly Routed[]): void {
  const names = new Set<string>();
  for (const { endpoint } of all) {
    if (names.has(endpoint.name)) throw new TypeError(`two endpoints are named ${endpoint.name}`);
    names.add(endpoint.name);
  }
}

function checkMethods(pattern: string, served: readonly Routed[]): void {
  const methods = new Set(served.map(({ endpoint }) => endpoint.method));
  if (methods.size !== served.length || (methods.has('ANY') && methods.size > 1)) {
    throw new TypeError(`${pattern} has two endpoints for one method`);
  }
}

/** @returns undefined also if an escape cannot be decoded */
function decodeSegment(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function hasLength<Served extends Routed>(
  { segments, isPrefix }: CompiledRoute<Served>,
  length: number,
): boolean {
  const isOpenEnded = isPrefix || segments.at(-1)?.kind === 'rest';
  return isOpenEnded ? length >= segments.length : length === segments.length;
}

function hasLiterals(segments: readonly Segment[], texts: readonly string[]): boolean {
  return segments.every(
    (segment, index) => segment.kind !== 'literal' || segment.text === texts[index],
  );
}

/** @returns undefined if one is empty, or cannot be decoded */
function readTexts(
  segments: readonly Segment[],
  texts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const found: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'literal') continue;
    const text = segment.kind === 'rest' ? texts.slice(index).join('/') : (texts[index] ?? '');
    const decoded = decodeSegment(text);
    if (decoded === undefined || decoded === '') return undefined;
    found[segment.name] = decoded;
  }
  return found;
}

function isPathOf({ parameters }: Endpoint, path: Readonly<Record<string, string>>): boolean {
  return parameters.every(
    (parameter) => parameter.from !== 'path' || parameter.matches(path[parameter.name] ?? ''),
  );
}
