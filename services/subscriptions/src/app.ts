import { createApiApp } from '@parley/http';
import type { ApiAppOptions, RequestHandler } from '@parley/http';

import type { SubscriptionsContext } from './context.ts';
import { endpoints } from './endpoints/index.ts';

/** Builds the express app of this service; it does not listen. */
export function createSubscriptionsApp(
  options: Omit<ApiAppOptions<SubscriptionsContext>, 'endpoints'>,
): RequestHandler {
  return createApiApp({ ...options, endpoints });
}
