import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, numberParameter, textParameter } from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';
import { limits } from '../limits.ts';

/** POST users/me/status (reference facts, events 15.3). */
export const changeOwnStatusEndpoint = declareEndpoint({
  name: 'change-own-status',
  method: 'POST',
  path: '/users/me/status',
  service: 'presence',
  tag: 'Own account',
  summary: 'Set or clear the status of the caller: away, and a text',
  example: { parameters: { away: false, status_text: 'On the slipway' } },
  access: { authentication: 'required', bots: 'refused' },
  parameters: [
    booleanParameter('away', { description: 'Whether the caller is away' }),
    textParameter('status_text', {
      maxCodePoints: limits.statusTextMaxCodePoints,
      description: `At most ${limits.statusTextMaxCodePoints} characters; an empty one removes it`,
    }),
    numberParameter('ends_at', {
      description:
        'Seconds since 1970: when the server clears text and away, with the event of a change. A text without it has no end, away alone keeps the one there is',
    }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST'],
});
