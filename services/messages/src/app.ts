import { createApiApp } from '@parley/http';
import type { ApiAppOptions, RequestHandler } from '@parley/http';

import type { MessagesContext } from './context.ts';
import { endpoints } from './endpoints/index.ts';

/** Builds the express app of this service; it does not listen. */
export function createMessagesApp(
  options: Omit<ApiAppOptions<MessagesContext>, 'endpoints'>,
): RequestHandler {
  return createApiApp({ ...options, endpoints });
}
