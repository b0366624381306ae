import { createApiApp } from '@parley/http';
import type { ApiAppOptions, RequestHandler } from '@parley/http';

import type { RunningPresenceContext } from './context.ts';
import { endpoints } from './endpoints/index.ts';

/** Builds the express app of this service; it does not listen. */
export function createPresenceApp(
  options: Omit<ApiAppOptions<RunningPresenceContext>, 'endpoints'>,
): RequestHandler {
  return createApiApp({ ...options, endpoints });
}
