import type { TestOrganization } from '@parley/test-kit';

const accountsPerTransaction = 500;
const transactionsAtOnce = 2;

/** @returns the ids of so many new members */
export async function makePeople(
  organization: TestOrganization,
  count: number,
  label: string,
): Promise<number[]> {
  const ids: number[] = [];
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
      for (const { user } of made) ids.push(user.id);
    }
  };
  await Promise.all(Array.from({ length: transactionsAtOnce }, make));
  return ids;
}
