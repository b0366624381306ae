import { botTypes } from '@parley/api';
import type { Client } from '@parley/database';

import type { KeySecrets } from '@parley/auth/secrets';
import { createUsers } from '../people/new-users.ts';
import { createRealm } from '../organization/realm.ts';
import type { User } from '../people/users.ts';

/** The senders of notices (reference facts, people: system bots). Clients know them by the part before the `@`. */
export const systemBots = [
  { email: 'notification-bot@parley.example', fullName: 'Notification Bot' },
  { email: 'welcome-bot@parley.example', fullName: 'Welcome Bot' },
  { email: 'emailgateway@parley.example', fullName: 'Email Gateway' },
] as const;

/**
 * Creates the organization with its system bots. The caller's log entry must carry the change and an `account` effect for each bot.
 *
 * @returns the system bots
 * @throws the database's unique violation if an organization exists already
 */
export async function createOrganizationRows(
  client: Client,
  secrets: KeySecrets,
  realm: Parameters<typeof createRealm>[1],
  changeId: number,
): Promise<User[]> {
  await createRealm(client, realm);
  const made = await createUsers(
    client,
    secrets,
    systemBots.map((bot) => ({ ...bot, botType: botTypes.generic, isSystem: true })),
    changeId,
  );
  return made.map(({ user }) => user);
}
