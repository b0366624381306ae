import { declareEndpoint } from '../declare/endpoint.ts';
import { customParameter, textParameter } from '../declare/parameters.ts';
import { object, text } from '../declare/schema.ts';
import { parseTypingRecipients } from './typing-recipients-parameter.ts';

/** POST typing (reference facts, events 15.1). */
export const sendTypingEndpoint = declareEndpoint({
  name: 'send-typing',
  method: 'POST',
  path: '/typing',
  service: 'presence',
  tag: 'Messages',
  summary: 'Report that the caller starts or stops typing',
  description:
    'The recipients and the caller get a `typing` event. Clients repeat the request every ten seconds while typing. Nothing is stored.',
  example: { parameters: { op: 'start', to: '["rahul@harbour.example"]' } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  limits: { turns: 'none' },
  parameters: [
    textParameter('op', { required: true, description: '`start` or `stop`' }),
    customParameter(
      'to',
      {
        encoding: 'text',
        nul: 'handled',
        schema: text,
        description: 'Ids or email addresses as JSON list, or addresses as text with commas',
      },
      parseTypingRecipients,
    ),
  ],
  success: object({}),
  errors: ['BAD_REQUEST'],
});
