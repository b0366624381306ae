import { badRequest, limits, requestVariableInvalid } from '@parley/contracts';
import { json, jsonBoolean } from '@parley/http';

import type { JoinOptions } from '../subscribing/join-streams.ts';
import type { StreamEntry } from '../subscribing/stream-names.ts';
import { isHexColor } from '../subscribing/subscription-properties.ts';

/** What POST and PATCH users/me/subscriptions have in common (reference facts, streams 5.1 and 5.4). */

/** The schema of a list of streams to join. */
export const streamsToJoin = {
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
} as const;

/** How the streams are named, in which a U+0000 has an answer of its own. */
export const streamsToJoinOptions = {
  nul: 'handled',
  description:
    'Streams by name; the description is used for created streams, the color for new subscriptions',
} as const;

/**
 * Checks what the schema does not say.
 *
 * @param parameter its name
 * @param raw its text
 * @throws ApiError for a colour that clients cannot read, and for a U+0000 outside of names
 */
export function checkStreamsToJoin(
  parameter: string,
  raw: string,
  streams: readonly StreamEntry[],
): void {
  for (const [n, { color, description = '' }] of streams.entries()) {
    if (color !== undefined && !isHexColor(color)) {
      throw badRequest(`${parameter}[${n}]["color"] is not a valid hex color code`);
    }
    if (description.includes('\0')) throw requestVariableInvalid(parameter, raw);
  }
}

/** Options of a request that may create streams. */
export const joinParameters = [
  jsonBoolean('invite_only', { default: false, description: 'Created streams are private' }),
  jsonBoolean('is_announcement_only', {
    default: false,
    description: 'Only administrators may post to created streams',
  }),
  jsonBoolean('history_public_to_subscribers', {
    default: null,
    description: 'New subscribers of a created private stream see its history; false by default',
  }),
  jsonBoolean('announce', {
    default: false,
    description: 'Announce created public streams in the notifications stream',
  }),
  json(
    'principals',
    {
      type: 'array',
      items: {
        anyOf: [{ type: 'string' }, { type: 'integer' }],
        refusal: 'is not a string',
        description: 'email address or user id',
      },
    },
    { default: [], description: 'People to act for; an empty list means the caller' },
  ),
  jsonBoolean('authorization_errors_fatal', {
    default: true,
    description: 'Refuse the request when a private stream cannot be accessed',
  }),
] as const;

/** @returns the options by the names that the service uses */
export function joinOptions(parameters: {
  readonly invite_only: boolean;
  readonly is_announcement_only: boolean;
  readonly history_public_to_subscribers: boolean | null;
  readonly announce: boolean;
  readonly authorization_errors_fatal: boolean;
}): JoinOptions {
  return {
    inviteOnly: parameters.invite_only,
    isAnnouncementOnly: parameters.is_announcement_only,
    historyPublicToSubscribers: parameters.history_public_to_subscribers,
    announce: parameters.announce,
    authorizationErrorsFatal: parameters.authorization_errors_fatal,
  };
}

const namesByEmail = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
} as const;

/** Properties of an answer about joins. */
export const joinedProperties = {
  subscribed: { ...namesByEmail, description: 'new subscriptions by email address' },
  already_subscribed: namesByEmail,
  unauthorized: {
    type: 'array',
    items: { type: 'string' },
    description: 'present when authorization_errors_fatal is false',
  },
} as const;

const names = {
  type: 'array',
  items: { type: 'string' },
  description: 'one stream name for each person and stream',
} as const;

/** Properties of an answer about leaving. */
export const leftProperties = {
  removed: names,
  not_subscribed: names,
  not_removed: names,
} as const;
