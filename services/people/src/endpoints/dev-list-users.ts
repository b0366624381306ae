import { devEnvironmentOff } from '@parley/api';
import type { AnswerOf } from '@parley/api';
import { devListUsersByPostEndpoint, devListUsersEndpoint } from '@parley/api/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { listUsers } from '@parley/store';

type Answer = AnswerOf<typeof devListUsersEndpoint>;

async function listPeople(context: PeopleContext): Promise<Answer> {
  if (context.mode !== 'development') throw devEnvironmentOff();
  const users = (await listUsers(context.pool)).filter(
    (user) => user.isActive && user.botType === null,
  );
  const of = (isAdministrator: boolean): Answer['direct_users'] =>
    users
      .filter((user) => (user.role === 'administrator') === isAdministrator)
      .map((user) => ({ email: user.deliveryEmail, realm_uri: context.publicUrl }));
  return { direct_admins: of(true), direct_users: of(false) };
}

/** GET dev_list_users (reference facts, people 5.3). */
export const devListUsersHandler = implement(devListUsersEndpoint, listPeople);

/** POST dev_list_users (reference facts, people 5.3). */
export const devListUsersByPostHandler = implement(devListUsersByPostEndpoint, listPeople);
