import { Type } from 'typebox';

import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, jsonParameter, textListParameter } from '../declare/parameters.ts';
import {
  anyOf,
  described,
  integer,
  listOf,
  mapOf,
  object,
  optional,
  text,
  texts,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';
import { limits } from '../limits.ts';

/** Joining and leaving streams (contract, Streams; reference facts, streams 5). */

const streamEntrySchema = object({
  name: text,
  ...optional({
    color: text,
    description: Type.String({ maxLength: limits.streamDescriptionMaxCodePoints }),
  }),
});

/** One stream to join. */
export type StreamEntry = Value<typeof streamEntrySchema>;

/** A U+0000 in a name has its own answer. */
const streamsToJoinOptions = {
  nul: 'handled',
  description:
    'Streams by name; the description is used for created streams, the color for new subscriptions',
} as const;

const principalsParameter = jsonParameter(
  'principals',
  listOf(
    anyOf([text, integer], {
      refusal: 'is not a string',
      description: 'email address or user id',
    }),
  ),
  {
    default: [],
    description: 'People to subscribe or unsubscribe; an empty list means the caller',
  },
);

/** Options of a request that may create streams. */
const joinParameters = [
  booleanParameter('invite_only', { default: false, description: 'Created streams are private' }),
  booleanParameter('is_announcement_only', {
    default: false,
    description: 'Only administrators may post to created streams',
  }),
  booleanParameter('history_public_to_subscribers', {
    default: null,
    description: 'New subscribers of a created private stream see its history; false by default',
  }),
  booleanParameter('announce', {
    default: false,
    description: 'Announce created public streams in the notifications stream',
  }),
  principalsParameter,
  booleanParameter('authorization_errors_fatal', {
    default: true,
    description: 'Refuse the request if a private stream cannot be accessed',
  }),
] as const;

const namesByEmail = mapOf(texts);

const joined = {
  subscribed: described(namesByEmail, 'new subscriptions by email address'),
  already_subscribed: namesByEmail,
  ...optional({
    unauthorized: described(texts, 'present when authorization_errors_fatal is false'),
  }),
};

const names = described(texts, 'one stream name for each person and stream');

const left = { removed: names, not_subscribed: names, not_removed: names };

/** POST users/me/subscriptions (contract, Streams; reference facts, streams 5.1). */
export const addSubscriptionsEndpoint = declareEndpoint({
  name: 'add-subscriptions',
  method: 'POST',
  path: '/users/me/subscriptions',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Subscribe to streams, creating those that do not exist',
  description:
    'One transaction: after a refusal nothing has changed, and there is no event. The notification bot writes to new streams, to people whom somebody else subscribed and, with announce, to the notifications stream.',
  example: {
    parameters: {
      subscriptions: [{ name: 'rowing', description: 'For those who row' }],
      principals: ['rahul@harbour.example', 'tobias@harbour.example'],
    },
  },
  access: { authentication: 'required', guests: 'refused' },
  parameters: [
    jsonParameter('subscriptions', listOf(streamEntrySchema), {
      ...streamsToJoinOptions,
      required: true,
    }),
    ...joinParameters,
  ],
  success: object(joined),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  limits: { bodyMaxBytes: limits.subscriptionBodyMaxBytes },
});

/** DELETE users/me/subscriptions (contract, Streams; reference facts, streams 1 and 5.3). */
export const removeSubscriptionsEndpoint = declareEndpoint({
  name: 'remove-subscriptions',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Unsubscribe from streams',
  description:
    'All changes are made, or none. Only administrators may unsubscribe others. Unread messages in the streams become read.',
  example: { parameters: { subscriptions: ['rowing'] } },
  access: { authentication: 'required' },
  parameters: [
    textListParameter('subscriptions', {
      required: true,
      nul: 'handled',
      description: 'Names of the streams to leave',
    }),
    principalsParameter,
  ],
  success: object(left),
  errors: ['BAD_REQUEST', 'STREAM_DOES_NOT_EXIST', 'UNAUTHORIZED_PRINCIPAL'],
  limits: { bodyMaxBytes: limits.subscriptionBodyMaxBytes },
});

/** PATCH users/me/subscriptions (reference facts, streams 5.4). */
export const changeSubscriptionsEndpoint = declareEndpoint({
  name: 'change-subscriptions',
  method: 'PATCH',
  path: '/users/me/subscriptions',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Subscribe to some streams and unsubscribe from others',
  description:
    'Subscribes, then unsubscribes, in one transaction: after a refusal of either nothing has changed, and there is no event.',
  example: { parameters: { add: [{ name: 'rentals' }], delete: ['kitchen'] } },
  access: { authentication: 'required', guests: 'refused' },
  parameters: [
    textListParameter('delete', {
      default: [],
      nul: 'handled',
      description: 'Names of the streams to leave',
    }),
    jsonParameter('add', listOf(streamEntrySchema), { ...streamsToJoinOptions, default: [] }),
    ...joinParameters,
  ],
  success: object({ ...joined, ...left }),
  errors: ['BAD_REQUEST', 'STREAM_DOES_NOT_EXIST', 'UNAUTHORIZED_PRINCIPAL'],
  limits: { bodyMaxBytes: limits.subscriptionBodyMaxBytes },
});
