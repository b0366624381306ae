/** What the gateway sends over links, services answer over links, and shortly. */
import { isForLinks } from '@parley/http';
import { expect, it } from 'vitest';

import { findEndpoint, findRoute } from '../../services/gateway/src/route-table.ts';
import { allEndpoints } from './all-endpoints.ts';
import type { AnyEndpoint } from './all-endpoints.ts';

function pathOf({ below, path }: AnyEndpoint): string {
  return (below === 'api' ? `/api/v1${path}` : path).replaceAll(/[:*]\w+/g, '5');
}

/** Lists whose length has a bound that keeps the answer short. */
const boundedLists = new Map([
  ['GET /events', 'an answer has a bound of its own'],
  ['GET /users/me/alert_words', 'a thousand words'],
  ['GET /realm/domains', 'a thousand short names'],
  ['GET /realm/filters', 'a hundred patterns'],
  ['GET /realm/profile_fields', 'two hundred fields'],
  ['GET /server_settings', 'ways to log in'],
  ['GET /users/me', "one person's fields"],
  ['GET /users/:user_id', "one person's fields"],
  ['GET /users/:email/presence', "one person's clients"],
]);

/** Whether a part of an answer is a list, or an object with members of any name. */
function hasList({ response }: AnyEndpoint): boolean {
  return /"(?:items|additionalProperties)":\{/.test(JSON.stringify(response));
}

const known = allEndpoints
  .filter(({ method }) => method !== 'ANY')
  .map((endpoint) => {
    const route = findRoute(pathOf(endpoint));
    return {
      name: `${endpoint.method} ${endpoint.path}`,
      endpoint,
      routed: route && findEndpoint(route, endpoint.method),
    };
  });

it.each(known)('$name is answered over links if it is sent there', ({ endpoint, routed }) => {
  expect(routed).toBeDefined();
  if (routed?.isLinked === true) expect(isForLinks(endpoint)).toBe(true);
});

it('what lists without a bound is proxied', () => {
  const linkedLists = known
    .filter(({ endpoint }) => endpoint.method === 'GET' && hasList(endpoint))
    .filter(({ routed }) => routed?.isLinked === true)
    .map(({ name }) => name);
  expect(linkedLists.toSorted()).toEqual([...boundedLists.keys()].toSorted());
});
