import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { integerListParameter, pathInteger, textParameter } from '../declare/parameters.ts';
import { listOf, object } from '../declare/schema.ts';
import { userGroupSchema } from './objects.ts';

/** User groups (reference facts, people 11.2 and streams 9). */

const groupPath = '/user_groups/{group_id}';
const groupId = pathInteger('group_id', { description: 'The id of the group' });

/** For endpoints that change groups. */
const access = { authentication: 'required', guests: 'refused', bots: 'refused' } as const;
const errors = ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'] as const;

/** GET user_groups (contract, User group; reference facts, people 1: bots and guests too). */
export const listUserGroupsEndpoint = declareEndpoint({
  name: 'list-user-groups',
  method: 'GET',
  path: '/user_groups',
  service: 'people',
  tag: 'People',
  summary: 'List the user groups',
  access: { authentication: 'required' },
  parameters: [],
  success: object({ user_groups: listOf(userGroupSchema) }),
});

/** POST user_groups/create (reference facts, people 11.2 and streams 9). */
export const createUserGroupEndpoint = declareEndpoint({
  name: 'create-user-group',
  method: 'POST',
  path: '/user_groups/create',
  service: 'people',
  tag: 'People',
  summary: 'Create a user group',
  description:
    'Its creator is a member only if listed. The organization may restrict this to administrators.',
  example: {
    parameters: {
      name: 'keel crew',
      description: 'Call them when something is heavy',
      members: [exampleVariables.userId],
    },
  },
  access,
  parameters: [
    textParameter('name', {
      required: true,
      description: 'At most 100 characters, case-sensitive',
    }),
    integerListParameter('members', { default: [], description: 'User ids' }),
    textParameter('description', { required: true, description: 'At most 1024 characters' }),
  ],
  success: object({}),
  errors,
});

/** PATCH user_groups/{group_id} (reference facts, people 11.2 and streams 9). */
export const changeUserGroupEndpoint = declareEndpoint({
  name: 'change-user-group',
  method: 'PATCH',
  path: groupPath,
  service: 'people',
  tag: 'People',
  summary: 'Change the name or description of a user group',
  description: 'Absent and empty parameters change nothing.',
  example: {
    parameters: { group_id: exampleVariables.userGroupId, description: 'Who opens the gate' },
  },
  access,
  parameters: [
    groupId,
    textParameter('name', { default: '', description: 'At most 100 characters' }),
    textParameter('description', { default: '', description: 'At most 1024 characters' }),
  ],
  success: object({}),
  errors,
});

/** DELETE user_groups/{group_id} (reference facts, people 11.2 and streams 9). */
export const removeUserGroupEndpoint = declareEndpoint({
  name: 'remove-user-group',
  method: 'DELETE',
  path: groupPath,
  service: 'people',
  tag: 'People',
  summary: 'Delete a user group',
  example: { parameters: { group_id: exampleVariables.userGroupId } },
  access,
  parameters: [groupId],
  success: object({}),
  errors,
});

/** POST user_groups/{group_id}/members (reference facts, people 11.2 and streams 9). */
export const changeUserGroupMembersEndpoint = declareEndpoint({
  name: 'change-user-group-members',
  method: 'POST',
  path: `${groupPath}/members`,
  service: 'people',
  tag: 'People',
  summary: 'Add people to a user group, and remove people',
  description: 'All changes are made, or none. People are added first.',
  example: {
    parameters: { group_id: exampleVariables.userGroupId, add: [exampleVariables.userId] },
  },
  access,
  parameters: [
    groupId,
    integerListParameter('delete', { default: [], description: 'User ids to remove' }),
    integerListParameter('add', { default: [], description: 'User ids to add' }),
  ],
  success: object({}),
  errors,
});
