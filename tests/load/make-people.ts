import type { Account } from '@parley/demo';
import type { TestOrganization } from '@parley/test-kit';

import type { FleetAccount } from './fleet/protocol.ts';

const accountsPerTransaction = 500;
const transactionsAtOnce = 2;

/** @returns the ids of this many new members */
export async function makePeople(
  organization: TestOrganization,
  count: number,
  label: string,
): Promise<number[]> {
  return (await makeAccounts(organization, count, label)).map(({ user }) => user.id);
}

/** @returns this many new members with their keys */
export async function makeAccounts(
  organization: TestOrganization,
  count: number,
  label: string,
): Promise<Account[]> {
  const accounts: Account[] = [];
  let started = 0;
  const make = async (): Promise<void> => {
    while (started < count) {
      const first = started;
      started = Math.min(count, started + accountsPerTransaction);
      const made = await organization.maker.makeAccounts(
        Array.from({ length: started - first }, (_, n) => ({
          email: `person-${first + n}-${label.replaceAll(' ', '-')}@example.com`,
          fullName: `Person ${first + n} ${label}`,
        })),
      );
      accounts.push(...made);
    }
  };
  await Promise.all(Array.from({ length: transactionsAtOnce }, make));
  return accounts;
}

/** What a follower needs of an account. */
export function credentialsOf(accounts: readonly Account[]): FleetAccount[] {
  return accounts.map(({ user, apiKey }) => ({ email: user.email, apiKey }));
}
