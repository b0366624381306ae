import { endpoints } from '@parley/api/endpoints';

const everyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const named = endpoints.flatMap(({ method, below, path, access }) =>
  (method === 'ANY' ? everyMethod : [method]).map((each) => ({
    name: `${each} ${below === 'root' ? path : path.slice(1)}`,
    isOpen: access.authentication === 'none',
  })),
);

/** Every endpoint by method and path; those at the root begin with a slash. */
export const endpointNames: readonly string[] = named.map(({ name }) => name);

/** Endpoints without authentication. */
export const openEndpoints: ReadonlySet<string> = new Set(
  named.filter(({ isOpen }) => isOpen).map(({ name }) => name),
);
