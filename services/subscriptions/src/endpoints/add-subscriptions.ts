import { badRequest, limits } from '@parley/contracts';
import { defineEndpoint, json, jsonBoolean } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { subscribePeople } from '../subscribing/subscribe-people.ts';
import { isHexColor } from '../subscribing/subscription-properties.ts';
import { principalsParameter } from './principals-parameter.ts';

const namesByEmail = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
} as const;

/** POST users/me/subscriptions (contract, Streams; reference facts, streams 5.1). */
export const addSubscriptionsEndpoint = defineEndpoint({
  name: 'add-subscriptions',
  method: 'POST',
  path: '/users/me/subscriptions',
  summary: 'Subscribe to streams, creating those that do not exist',
  description: 'One transaction: a refusal leaves nothing behind and sends no event.',
  access: { authentication: 'required', guests: 'refused' },
  parameters: [
    json(
      'subscriptions',
      {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            color: { type: 'string' },
            description: { type: 'string', maxLength: limits.streamDescriptionMaxCodePoints },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
      {
        required: true,
        description:
          'Streams by name; the description is used for created streams, the color for new subscriptions',
      },
    ),
    jsonBoolean('invite_only', { default: false, description: 'Created streams are private' }),
    jsonBoolean('is_announcement_only', {
      default: false,
      description: 'Only administrators may post to created streams',
    }),
    jsonBoolean('history_public_to_subscribers', {
      default: null,
      description: 'New subscribers of a created private stream see its history; false by default',
    }),
    jsonBoolean('announce', { default: false, description: 'Announce created streams' }),
    principalsParameter,
    jsonBoolean('authorization_errors_fatal', {
      default: true,
      description: 'Refuse the request when a private stream cannot be accessed',
    }),
  ],
  response: {
    type: 'object',
    properties: {
      subscribed: { ...namesByEmail, description: 'new subscriptions by email address' },
      already_subscribed: namesByEmail,
      unauthorized: {
        type: 'array',
        items: { type: 'string' },
        description: 'present when authorization_errors_fatal is false',
      },
    },
    required: ['subscribed', 'already_subscribed'],
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    for (const [n, { color }] of parameters.subscriptions.entries()) {
      if (color !== undefined && !isHexColor(color)) {
        throw badRequest(`subscriptions[${n}]["color"] is not a valid hex color code`);
      }
    }
    return subscribePeople(context, {
      caller,
      subscriptions: parameters.subscriptions,
      principals: parameters.principals,
      inviteOnly: parameters.invite_only,
      isAnnouncementOnly: parameters.is_announcement_only,
      historyPublicToSubscribers: parameters.history_public_to_subscribers,
      authorizationErrorsFatal: parameters.authorization_errors_fatal,
    });
  },
});
