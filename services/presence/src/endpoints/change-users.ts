import {
  defineEndpoint,
  exampleVariables,
  json,
  jsonBoolean,
  jsonOrText,
  pathInteger,
  text,
} from '@parley/http';

import { changePerson } from '../accounts/change-person.ts';
import { createPerson } from '../accounts/create-person.ts';
import { deactivateAccount } from '../accounts/deactivate-account.ts';
import { reactivateAccount } from '../accounts/reactivate-account.ts';
import type { PresenceContext } from '../context.ts';
import type { GivenValue } from '../profile-fields/value-rules.ts';
import { emptyAnswer } from './empty-answer.ts';

const userId = pathInteger('user_id', { description: 'The id of the account' });

/** POST users (reference facts, people 7.3). */
export const createUserEndpoint = defineEndpoint({
  name: 'create-user',
  method: 'POST',
  path: '/users',
  summary: 'Create a person',
  description:
    'For administrators. The person joins the default streams in the same step, and everybody is told.',
  example: {
    parameters: {
      email: 'lotte@harbour.example',
      password: 'a keel of bronze and oak',
      full_name: 'Lotte Brandt',
    },
  },
  access: { authentication: 'required', administratorsOnly: true },
  parameters: [
    text('email', { required: true, description: 'The email address' }),
    text('password', {
      required: true,
      description: 'At least 6 characters, and not guessed in 10,000 tries',
    }),
    text('full_name', { required: true, description: 'At most 100 characters' }),
    text('short_name', { description: 'By default the part of the address before the @' }),
  ],
  response: emptyAnswer,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await createPerson(context, caller, {
      email: parameters.email,
      password: parameters.password,
      fullName: parameters.full_name,
      shortName: parameters.short_name,
    });
    return {};
  },
});

function isEmptyValue(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0);
}

/** PATCH users/{user_id} (reference facts, people 7.4). */
export const updateUserEndpoint = defineEndpoint({
  name: 'update-user',
  method: 'PATCH',
  path: '/users/:user_id',
  summary: 'Change name, role or profile of a person or bot',
  description: 'For administrators, and for owners of bots, who may not change roles.',
  example: {
    as: 'administrator',
    parameters: { user_id: exampleVariables.spareUserId, full_name: 'Nils Aske', is_guest: true },
  },
  access: { authentication: 'required' },
  parameters: [
    userId,
    jsonOrText('full_name', { description: 'A blank one is ignored' }),
    jsonBoolean('is_admin', { description: 'Whether the account is an administrator' }),
    jsonBoolean('is_guest', { description: 'Whether the account is a guest' }),
    json(
      'profile_data',
      {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            value: { type: ['string', 'integer', 'array', 'null'], items: {} },
          },
          required: ['id', 'value'],
        },
      },
      { description: 'Fields with their values; an empty value removes the entry' },
    ),
  ],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    const values: readonly GivenValue[] | undefined = parameters.profile_data;
    await changePerson(context, caller, parameters.user_id, {
      fullName: parameters.full_name,
      isAdmin: parameters.is_admin,
      isGuest: parameters.is_guest,
      profile: values && {
        set: values.filter(({ value }) => !isEmptyValue(value)),
        removed: values.filter(({ value }) => isEmptyValue(value)).map(({ id }) => id),
      },
    });
    return {};
  },
});

/** DELETE users/{user_id} (reference facts, people 7.5). */
export const deactivateUserEndpoint = defineEndpoint({
  name: 'deactivate-user',
  method: 'DELETE',
  path: '/users/:user_id',
  summary: 'Deactivate a person and all bots of that person',
  description: 'For administrators. The keys stop working and the event queues end at once.',
  example: { as: 'administrator', parameters: { user_id: exampleVariables.spareUserId } },
  access: { authentication: 'required' },
  parameters: [userId],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await deactivateAccount(context, caller, parameters.user_id, 'person');
    return {};
  },
});

/** DELETE users/me (reference facts, people 7.5). */
export const deactivateOwnUserEndpoint = defineEndpoint({
  name: 'deactivate-own-user',
  method: 'DELETE',
  path: '/users/me',
  summary: "Deactivate the caller's own account and all its bots",
  access: { authentication: 'required', bots: 'refused' },
  parameters: [],
  response: emptyAnswer,
  errors: ['CANNOT_DEACTIVATE_LAST_USER'],
  handler: async (context: PresenceContext, { caller }) => {
    await deactivateAccount(context, caller, caller.userId, 'oneself');
    return {};
  },
});

/** POST users/{user_id}/reactivate (reference facts, people 7.5). */
export const reactivateUserEndpoint = defineEndpoint({
  name: 'reactivate-user',
  method: 'POST',
  path: '/users/:user_id/reactivate',
  summary: 'Reactivate a person or bot',
  description:
    'For administrators, and for owners of bots as far as they may create them. Password, key and subscriptions are those from before; bots of a person stay deactivated.',
  example: { as: 'administrator', parameters: { user_id: exampleVariables.deactivatedUserId } },
  access: { authentication: 'required' },
  parameters: [userId],
  response: emptyAnswer,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await reactivateAccount(context, caller, parameters.user_id);
    return {};
  },
});
