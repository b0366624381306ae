import { routes } from '../../services/gateway/src/route-table.ts';

const endpoints = routes.flatMap(({ pattern, methods }) =>
  [...methods].map(([method, { authentication }]) => ({
    name: `${method} ${pattern.replace(/^\/api\/v1\//, '')}`,
    isOpen: authentication === 'none',
  })),
);

/** Every endpoint by method and pattern. */
export const endpointNames: readonly string[] = endpoints.map(({ name }) => name);

/** Those that ask nobody who he is. */
export const openEndpoints: ReadonlySet<string> = new Set(
  endpoints.filter(({ isOpen }) => isOpen).map(({ name }) => name),
);
