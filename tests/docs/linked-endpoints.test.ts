/** What the gateway sends over links, services answer over links. */
import { isForLinks } from '@parley/http';
import { expect, it } from 'vitest';

import { findEndpoint, findRoute } from '../../services/gateway/src/route-table.ts';
import { allEndpoints } from './all-endpoints.ts';
import type { AnyEndpoint } from './all-endpoints.ts';

function pathOf({ below, path }: AnyEndpoint): string {
  return (below === 'api' ? `/api/v1${path}` : path).replaceAll(/[:*]\w+/g, '5');
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

it.each(known)(
  '$name goes over links unless it takes an upload or never ends',
  ({ endpoint, routed }) => {
    expect(routed?.isLinked).toBe(isForLinks(endpoint));
  },
);
