import { ApiError, NoAnswerError } from '@parley/client';

import { texts } from '../texts.ts';

/** What the client itself refuses; the message is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Why something failed, for people: what the server said, or that there was no answer. */
export function describeFailure(failure: unknown): string {
  if (failure instanceof ApiError) {
    if (failure.is('INVITATION_FAILED'))
      return [failure.message, ...failure.body.errors.map((fault) => fault.join(': '))].join('\n');
    return failure.status === 429 ? texts.failure.tooManyRequests : failure.message;
  }
  if (failure instanceof NoAnswerError)
    return failure.status === undefined ? texts.failure.noAnswer : texts.failure.unavailable;
  return failure instanceof Refusal ? failure.message : texts.failure.other;
}
