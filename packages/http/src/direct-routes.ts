import { apiPathPrefix } from './api-path.ts';
import type { Endpoint } from './endpoint.ts';
import { groupRoutes, pathMatches } from './route-groups.ts';
import type { RouteGroup } from './route-groups.ts';

/** The endpoints that a path may mean, and the texts of its parameters. */
export type RouteMatch<Context> = {
  readonly group: Pick<RouteGroup<Context>, 'endpoints'>;
  readonly path: Readonly<Record<string, string>>;
};

type Pattern<Context> = {
  readonly group: RouteGroup<Context>;
  readonly segments: readonly string[];
};

const noTexts = {};

/** Finds the endpoints of paths without a framework, as the app's router does. */
export class DirectRoutes<Context> {
  readonly #literal = new Map<string, RouteGroup<Context>>();
  /** In the order in which they are tried. */
  readonly #patterns: readonly Pattern<Context>[];

  /** @throws TypeError when declarations contradict one another */
  constructor(endpoints: readonly Endpoint<Context>[]) {
    const patterns: Pattern<Context>[] = [];
    for (const group of groupRoutes(endpoints)) {
      // Whoever asks for a method that its path has not is told all that it has.
      if (!group.endpoints.some(isForLinks)) continue;
      const path = group.below === 'api' ? apiPathPrefix + group.path : group.path;
      if (/\/[:*]/.test(path)) patterns.push({ group, segments: path.split('/') });
      else this.#literal.set(path, group);
    }
    this.#patterns = patterns;
  }

  /**
   * @param path in its canonical spelling, without the query
   * @returns undefined for a path that no endpoint of links has
   * @throws URIError for an escape that cannot be decoded
   */
  find(path: string): RouteMatch<Context> | undefined {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return { group: literal, path: noTexts };
    const texts = path.split('/');
    for (const { group, segments } of this.#patterns) {
      const found = readTexts(segments, texts);
      if (found === undefined) continue;
      const endpoints = group.endpoints.filter((endpoint) => pathMatches(endpoint, found));
      if (endpoints.length > 0) return { group: { endpoints }, path: found };
    }
    return undefined;
  }
}

/** Whether requests to an endpoint may come over links, which carry no uploads and nothing endless. */
export function isForLinks({
  method,
  rawResponses,
  takesFile,
}: Pick<Endpoint<never>, 'method' | 'rawResponses' | 'takesFile'>): boolean {
  const isEndless = rawResponses.some(({ event }) => event !== undefined);
  return method !== 'ANY' && !isEndless && !takesFile;
}

function readTexts(
  segments: readonly string[],
  texts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const takesRest = segments.at(-1)?.startsWith('*') === true;
  if (takesRest ? segments.length > texts.length : segments.length !== texts.length)
    return undefined;
  const found: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = texts[index] ?? '';
    if (segment.startsWith('*')) {
      const rest = texts.slice(index);
      if (rest.join('/') === '') return undefined;
      found[segment.slice(1)] = rest.map((part) => decodeURIComponent(part)).join('/');
    } else if (segment.startsWith(':')) {
      if (text === '') return undefined;
      found[segment.slice(1)] = decodeURIComponent(text);
    } else if (segment !== text) return undefined;
  }
  return found;
}
