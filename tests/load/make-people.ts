import type { Account } from '@parley/demo';
import type { TestOrganization } from '@parley/test-kit';

import type { FleetAccount } from './fleet/protocol.ts';

const accountsPerTransaction = 500;
const transactionsAtOnce = 2;

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

/** A stream with somebody who sends to it and others who listen. */
export type Audience = {
  readonly streamName: string;
  readonly sender: FleetAccount & { readonly id: number };
  readonly listeners: readonly FleetAccount[];
};

/** @param label names the stream and its people, and is given once in an organization */
export async function makeAudience(
  organization: TestOrganization,
  label: string,
  listenerCount: number,
): Promise<Audience> {
  const { id, email, apiKey } = await organization.makeAccount(`Sender ${label}`);
  const listeners = await makeAccounts(organization, listenerCount, label);
  const streamName = `stream ${label}`;
  const [stream] = await organization.maker.makeStreams([{ name: streamName }]);
  if (stream === undefined) throw new Error('no stream was made');
  await organization.maker.subscribe(stream.id, [id, ...listeners.map(({ user }) => user.id)]);
  return { streamName, sender: { id, email, apiKey }, listeners: credentialsOf(listeners) };
}
