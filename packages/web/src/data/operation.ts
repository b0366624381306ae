import type { AnswerOf, OperationName, RequestArguments } from '@parley/client';

import type { App } from './app.ts';

/** @returns a function that asks the server for an operation; the state follows by events */
export function operation<Name extends OperationName>(
  name: Name,
): (app: App, ...given: RequestArguments<Name>) => Promise<AnswerOf<Name>> {
  return (app, ...given) => app.client.request(name, ...given);
}
