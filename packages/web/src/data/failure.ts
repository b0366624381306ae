import { ApiError, NoAnswerError } from '@parley/client';

import { texts } from '../texts.ts';

/** Why something failed, for people: what the server said, or that there was no answer. */
export function describeFailure(failure: unknown): string {
  if (failure instanceof ApiError)
    return failure.status === 429 ? texts.failure.tooManyRequests : failure.message;
  if (failure instanceof NoAnswerError)
    return failure.status === undefined ? texts.failure.noAnswer : texts.failure.unavailable;
  return texts.failure.other;
}
