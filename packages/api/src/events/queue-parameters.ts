import { Type } from 'typebox';

import { booleanParameter, jsonParameter, textListParameter } from '../declare/parameters.ts';

/** The common parameters of register and of a GET events that registers, in the order of their checks. */
export const queueParameters = [
  booleanParameter('apply_markdown', {
    default: false,
    description: 'Render message content as HTML.',
  }),
  booleanParameter('client_gravatar', {
    default: false,
    description: 'The client makes Gravatar URLs itself: `avatar_url` is then null for Gravatars.',
  }),
  booleanParameter('all_public_streams', {
    default: null,
    description:
      'Receive messages from all public streams. By default false; at register the default is the setting of the account.',
  }),
  booleanParameter('include_subscribers', {
    default: false,
    description: 'Whether the returned subscriptions list the subscribers of each stream.',
  }),
  textListParameter('event_types', {
    default: null,
    description: 'Types of events for the queue; every type by default.',
  }),
  textListParameter('fetch_event_types', {
    default: null,
    description: 'Types whose state is returned; by default those of `event_types`.',
  }),
  jsonParameter('narrow', Type.Unsafe<readonly unknown[]>({ type: 'array' }), {
    description:
      'Restricts message events: a list of `[operator, operand]` pairs, or one such pair.',
  }),
] as const;
