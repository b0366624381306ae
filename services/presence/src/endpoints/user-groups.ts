import { listOf, userGroupSchema } from '@parley/api-schemas';
import { defineEndpoint, exampleVariables, jsonIntegerList, pathInteger, text } from '@parley/http';
import { listUserGroups, userGroupJson } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import {
  admitToGroups,
  changeGroup,
  changeGroupMembers,
  createGroup,
  removeGroup,
} from '../organization/change-groups.ts';
import { emptyAnswer } from './empty-answer.ts';

const groupId = pathInteger('group_id', { description: 'The id of the group' });
const editors = {
  access: { authentication: 'required', guests: 'refused', bots: 'refused' },
  admit: admitToGroups,
} as const;
const errors = ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'] as const;

/** GET user_groups (contract, User group; reference facts, people 1: bots and guests too). */
export const listUserGroupsEndpoint = defineEndpoint({
  name: 'list-user-groups',
  method: 'GET',
  path: '/user_groups',
  summary: 'List the user groups',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      user_groups: listOf(userGroupSchema),
    },
    required: ['user_groups'],
  },
  handler: async (context: PresenceContext) => ({
    user_groups: (await listUserGroups(context.pool)).map(userGroupJson),
  }),
});

/** POST user_groups/create (reference facts, people 11.2 and streams 9). */
export const createUserGroupEndpoint = defineEndpoint({
  name: 'create-user-group',
  method: 'POST',
  path: '/user_groups/create',
  summary: 'Create a user group',
  description:
    'Its creator is a member only if named. The organization may leave groups to administrators.',
  example: {
    parameters: {
      name: 'keel crew',
      description: 'Call them when something is heavy',
      members: [exampleVariables.userId],
    },
  },
  ...editors,
  parameters: [
    text('name', { required: true, description: 'At most 100 characters; letter case counts' }),
    jsonIntegerList('members', { default: [], description: 'User ids' }),
    text('description', { required: true, description: 'At most 1024 characters' }),
  ],
  response: emptyAnswer,
  errors,
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await createGroup(context, caller, parameters);
    return {};
  },
});

/** PATCH user_groups/{group_id} (reference facts, people 11.2 and streams 9). */
export const changeUserGroupEndpoint = defineEndpoint({
  name: 'change-user-group',
  method: 'PATCH',
  path: '/user_groups/:group_id',
  summary: 'Give a user group another name or description',
  description: 'What is left out, or empty, stays as it is.',
  example: {
    parameters: { group_id: exampleVariables.userGroupId, description: 'Who opens the gate' },
  },
  ...editors,
  parameters: [
    groupId,
    text('name', { default: '', description: 'At most 100 characters' }),
    text('description', { default: '', description: 'At most 1024 characters' }),
  ],
  response: emptyAnswer,
  errors,
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await changeGroup(context, caller, parameters.group_id, parameters);
    return {};
  },
});

/** DELETE user_groups/{group_id} (reference facts, people 11.2 and streams 9). */
export const removeUserGroupEndpoint = defineEndpoint({
  name: 'remove-user-group',
  method: 'DELETE',
  path: '/user_groups/:group_id',
  summary: 'Delete a user group',
  example: { parameters: { group_id: exampleVariables.userGroupId } },
  ...editors,
  parameters: [groupId],
  response: emptyAnswer,
  errors,
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await removeGroup(context, caller, parameters.group_id);
    return {};
  },
});

/** POST user_groups/{group_id}/members (reference facts, people 11.2 and streams 9). */
export const changeUserGroupMembersEndpoint = defineEndpoint({
  name: 'change-user-group-members',
  method: 'POST',
  path: '/user_groups/:group_id/members',
  summary: 'Add people to a user group, and take people out',
  description: 'All of it or nothing. People are added first.',
  example: {
    parameters: { group_id: exampleVariables.userGroupId, add: [exampleVariables.userId] },
  },
  ...editors,
  parameters: [
    groupId,
    jsonIntegerList('delete', { default: [], description: 'User ids to take out' }),
    jsonIntegerList('add', { default: [], description: 'User ids to add' }),
  ],
  response: emptyAnswer,
  errors,
  handler: async (context: PresenceContext, { caller, parameters }) => {
    const { add, delete: remove } = parameters;
    await changeGroupMembers(context, caller, parameters.group_id, { add, remove });
    return {};
  },
});
