import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { numberParameter } from '../declare/parameters.ts';
import { described, integer, object } from '../declare/schema.ts';

const path = '/users/me/pointer';

/** GET users/me/pointer (reference facts, events 15.5). */
export const getPointerEndpoint = declareEndpoint({
  name: 'get-pointer',
  method: 'GET',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: 'Get the message at which the caller last read',
  access: { authentication: 'required' },
  parameters: [],
  success: object({ pointer: described(integer, 'its id; -1 for a new account') }),
});

const move = {
  path,
  service: 'messages',
  tag: 'Messages',
  summary: 'Move the pointer forward',
  description:
    'Moves it to a message that the caller holds. A message at or before the current pointer changes nothing. No message is marked as read.',
  example: { parameters: { pointer: exampleVariables.messageId } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [numberParameter('pointer', { required: true, description: 'The message id' })],
  success: object({}),
} as const;

/** POST users/me/pointer (reference facts, events 15.5). */
export const movePointerEndpoint = declareEndpoint({
  ...move,
  name: 'move-pointer',
  method: 'POST',
});

/** PUT users/me/pointer, the same as POST (reference facts, events 15.5). */
export const putPointerEndpoint = declareEndpoint({ ...move, name: 'put-pointer', method: 'PUT' });
