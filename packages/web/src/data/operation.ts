import type { AnswerOf, OperationName, RequestArguments } from '@parley/client';

import type { App } from './app.ts';

/**
 * Asks the server for an operation, under its name in the API; the state follows by events.
 *
 * @throws ApiError, NoAnswerError: see `describeFailure`
 */
export function perform<Name extends OperationName>(
  app: App,
  name: Name,
  ...given: RequestArguments<Name>
): Promise<AnswerOf<Name>> {
  return app.client.request(name, ...given);
}
