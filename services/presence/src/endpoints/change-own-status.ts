import { badRequest, limits, withoutCode } from '@parley/contracts';
import { defineEndpoint, jsonBoolean, text } from '@parley/http';

import { changeStatus } from '../accounts/change-status.ts';
import type { PresenceContext } from '../context.ts';
import { emptyAnswer } from './empty-answer.ts';

/** POST users/me/status (reference facts, events 15.3). */
export const changeOwnStatusEndpoint = defineEndpoint({
  name: 'change-own-status',
  method: 'POST',
  path: '/users/me/status',
  summary: 'Say that one is away, or something in words',
  example: { parameters: { away: false, status_text: 'On the slipway' } },
  access: { authentication: 'required', bots: 'refused' },
  parameters: [
    jsonBoolean('away', { description: 'Whether the caller is away' }),
    text('status_text', { description: 'At most 60 characters; an empty one takes it away' }),
  ],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    const { away, status_text: statusText } = parameters;
    const max = limits.statusTextMaxCodePoints;
    if (statusText !== undefined && Array.from(statusText).length > max)
      throw badRequest(`status_text is too long (limit: ${max} characters)`);
    if (away === undefined && statusText === undefined)
      throw withoutCode('Client did not pass any new values.');
    await changeStatus(context, caller, {
      ...(away !== undefined && { away }),
      ...(statusText !== undefined && { statusText: statusText.trim() }),
    });
    return {};
  },
});
