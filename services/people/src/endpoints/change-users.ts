import {
  createUserEndpoint,
  deactivateOwnUserEndpoint,
  deactivateUserEndpoint,
  reactivateUserEndpoint,
  updateUserEndpoint,
} from '@parley/api/people';
import { changePerson, createPerson, deactivateAccount, reactivateAccount } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';

/** POST users (reference facts, people 7.3). */
export const createUserHandler = implement(
  createUserEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await createPerson(context, caller, {
      email: parameters.email,
      password: parameters.password,
      fullName: parameters.full_name,
      shortName: parameters.short_name,
    });
    return {};
  },
);

function isEmptyValue(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0);
}

/** PATCH users/{user_id} (reference facts, people 7.4). */
export const updateUserHandler = implement(
  updateUserEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const { profile_data: values } = parameters;
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
);

/** DELETE users/{user_id} (reference facts, people 7.5). */
export const deactivateUserHandler = implement(
  deactivateUserEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await deactivateAccount(context, caller, parameters.user_id, 'person');
    return {};
  },
);

/** DELETE users/me (reference facts, people 7.5). */
export const deactivateOwnUserHandler = implement(
  deactivateOwnUserEndpoint,
  async (context: PeopleContext, { caller }) => {
    await deactivateAccount(context, caller, caller.userId, 'oneself');
    return {};
  },
);

/** POST users/{user_id}/reactivate (reference facts, people 7.5). */
export const reactivateUserHandler = implement(
  reactivateUserEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await reactivateAccount(context, caller, parameters.user_id);
    return {};
  },
);
