import { withoutCode } from '@parley/contracts';
import { defineEndpoint } from '@parley/http';
import { listUsers } from '@parley/store';

import type { PresenceContext } from '../context.ts';

const people = {
  type: 'array',
  items: {
    type: 'object',
    properties: { email: { type: 'string' }, realm_uri: { type: 'string' } },
    required: ['email', 'realm_uri'],
  },
} as const;

async function listPeople(context: PresenceContext): Promise<Record<string, unknown>> {
  if (context.mode !== 'development') throw withoutCode('Dev environment not enabled.');
  const users = (await listUsers(context.pool)).filter(
    (user) => user.isActive && user.botType === null,
  );
  const of = (isAdministrator: boolean): object[] =>
    users
      .filter((user) => (user.role === 'administrator') === isAdministrator)
      .map((user) => ({ email: user.deliveryEmail, realm_uri: context.publicUrl }));
  return { direct_admins: of(true), direct_users: of(false) };
}

const declaration = {
  path: '/dev_list_users',
  summary: 'List the people that one may sign in as on a development server',
  description: 'A production server always refuses.',
  access: { authentication: 'none' },
  parameters: [],
  response: {
    type: 'object',
    properties: { direct_admins: people, direct_users: people },
    required: ['direct_admins', 'direct_users'],
  },
  handler: listPeople,
} as const;

/** GET dev_list_users (reference facts, people 5.3). */
export const devListUsers = defineEndpoint({
  name: 'dev-list-users',
  method: 'GET',
  ...declaration,
});

/** POST dev_list_users (reference facts, people 5.3). */
export const devListUsersByPost = defineEndpoint({
  name: 'dev-list-users-by-post',
  method: 'POST',
  ...declaration,
});
