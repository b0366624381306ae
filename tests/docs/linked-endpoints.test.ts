/** What the gateway sends over links, services answer over links. */
import { isForLinks } from '@parley/http';
import { expect, it } from 'vitest';

import { findEndpoint, findRoute } from '../../services/gateway/src/route-table.ts';
import { allEndpoints } from './all-endpoints.ts';

function pathOf({ below, path }: (typeof allEndpoints)[number]): string {
  return (below === 'api' ? `/api/v1${path}` : path).replaceAll(/[:*]\w+/g, '5');
}

it.each(
  allEndpoints
    .filter(({ method }) => method !== 'ANY')
    .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
)('%s', (_name, endpoint) => {
  const route = findRoute(pathOf(endpoint));
  const known = route && findEndpoint(route, endpoint.method);
  expect(known).toBeDefined();
  if (known?.isLinked === true) expect(isForLinks(endpoint)).toBe(true);
});
