import { Type } from 'typebox';

import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import {
  booleanParameter,
  jsonOrTextParameter,
  jsonParameter,
  pathInteger,
  textParameter,
} from '../declare/parameters.ts';
import { integer, listOf, object } from '../declare/schema.ts';

/** Creates and changes accounts (reference facts, people 7.3 to 7.5). */

const userPath = '/users/{user_id}';
const userId = pathInteger('user_id', { description: 'The id of the account' });

/** POST users (reference facts, people 7.3). */
export const createUserEndpoint = declareEndpoint({
  name: 'create-user',
  method: 'POST',
  path: '/users',
  service: 'people',
  tag: 'People',
  summary: 'Create a person',
  description:
    'For administrators. The person joins the default streams in the same step, and everybody gets an event.',
  example: {
    parameters: {
      email: 'lotte@harbour.example',
      password: 'a keel of bronze and oak',
      full_name: 'Lotte Brandt',
    },
  },
  access: { authentication: 'required', administratorsOnly: true },
  parameters: [
    textParameter('email', { required: true, description: 'The email address' }),
    textParameter('password', {
      required: true,
      description: 'At least 6 characters, and not guessable in 10,000 tries',
    }),
    textParameter('full_name', { required: true, description: 'At most 100 characters' }),
    textParameter('short_name', {
      description: 'By default the part of the address before the @',
    }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** The value is checked against the type of its field when the field is known; other members of an element are ignored. */
const profileValueSchema = Type.Object({
  id: integer,
  value: Type.Unsafe<string | number | unknown[] | null>({
    type: ['string', 'integer', 'array', 'null'],
    items: {},
  }),
});

/** PATCH users/{user_id} (reference facts, people 7.4). */
export const updateUserEndpoint = declareEndpoint({
  name: 'update-user',
  method: 'PATCH',
  path: userPath,
  service: 'people',
  tag: 'People',
  summary: 'Change name, role or profile of a person or bot',
  description:
    'For administrators, and for owners of bots, who may not change roles. Bots with a higher role than the new one of their owner get the new role and another key; the bots of a new guest are deactivated.',
  example: {
    as: 'administrator',
    parameters: { user_id: exampleVariables.spareUserId, full_name: 'Nils Aske', is_guest: true },
  },
  access: { authentication: 'required' },
  parameters: [
    userId,
    jsonOrTextParameter('full_name', { description: 'A blank one is ignored' }),
    booleanParameter('is_admin', { description: 'Whether the account is an administrator' }),
    booleanParameter('is_guest', { description: 'Whether the account is a guest' }),
    jsonParameter('profile_data', listOf(profileValueSchema), {
      description: 'Fields with their values; an empty value removes the entry',
    }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST'],
});

/** DELETE users/{user_id} (reference facts, people 7.5). */
export const deactivateUserEndpoint = declareEndpoint({
  name: 'deactivate-user',
  method: 'DELETE',
  path: userPath,
  service: 'people',
  tag: 'People',
  summary: 'Deactivate a person and all bots of that person',
  description: 'For administrators. The keys stop working and the event queues end at once.',
  example: { as: 'administrator', parameters: { user_id: exampleVariables.spareUserId } },
  access: { authentication: 'required' },
  parameters: [userId],
  success: object({}),
  errors: ['BAD_REQUEST'],
});

/** DELETE users/me (reference facts, people 7.5). */
export const deactivateOwnUserEndpoint = declareEndpoint({
  name: 'deactivate-own-user',
  method: 'DELETE',
  path: '/users/me',
  service: 'people',
  tag: 'Own account',
  summary: "Deactivate the caller's own account and all its bots",
  access: { authentication: 'required', bots: 'refused' },
  parameters: [],
  success: object({}),
  errors: ['CANNOT_DEACTIVATE_LAST_USER'],
});

/** POST users/{user_id}/reactivate (reference facts, people 7.5). */
export const reactivateUserEndpoint = declareEndpoint({
  name: 'reactivate-user',
  method: 'POST',
  path: `${userPath}/reactivate`,
  service: 'people',
  tag: 'People',
  summary: 'Reactivate a person or bot',
  description:
    'For administrators, and for owners of bots who may create such bots. Password, key and subscriptions stay the same, except for a bot with a higher role than its owner. The bots of a person stay deactivated.',
  example: { as: 'administrator', parameters: { user_id: exampleVariables.deactivatedUserId } },
  access: { authentication: 'required' },
  parameters: [userId],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  afterLoss: 'repeat',
});
