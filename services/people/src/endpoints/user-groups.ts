import {
  changeUserGroupEndpoint,
  changeUserGroupMembersEndpoint,
  createUserGroupEndpoint,
  listUserGroupsEndpoint,
  removeUserGroupEndpoint,
} from '@parley/api/people';
import {
  checkMayEditGroupsEarly,
  changeGroup,
  changeGroupMembers,
  createGroup,
  removeGroup,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { userGroupJson } from '@parley/store/objects';
import { listUserGroups } from '@parley/store';

/** GET user_groups (contract, User group). */
export const listUserGroupsHandler = implement(
  listUserGroupsEndpoint,
  async (context: PeopleContext) => ({
    user_groups: (await listUserGroups(context.pool)).map(userGroupJson),
  }),
);

const forEditors = { admit: checkMayEditGroupsEarly } as const;

/** POST user_groups/create (reference facts, people 11.2 and streams 9). */
export const createUserGroupHandler = implement(
  createUserGroupEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await createGroup(context, caller, parameters);
    return {};
  },
  forEditors,
);

/** PATCH user_groups/{group_id} (reference facts, people 11.2 and streams 9). */
export const changeUserGroupHandler = implement(
  changeUserGroupEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await changeGroup(context, caller, parameters.group_id, parameters);
    return {};
  },
  forEditors,
);

/** DELETE user_groups/{group_id} (reference facts, people 11.2 and streams 9). */
export const removeUserGroupHandler = implement(
  removeUserGroupEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await removeGroup(context, caller, parameters.group_id);
    return {};
  },
  forEditors,
);

/** POST user_groups/{group_id}/members (reference facts, people 11.2 and streams 9). */
export const changeUserGroupMembersHandler = implement(
  changeUserGroupMembersEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const { add, delete: remove } = parameters;
    await changeGroupMembers(context, caller, parameters.group_id, { add, remove });
    return {};
  },
  forEditors,
);
