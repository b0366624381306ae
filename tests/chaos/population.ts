/** The participants of a run, and their streams and conversations. */
import { TestOrganization } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';

import type { ChaosSystem } from './chaos-system.ts';

export type ChaosStream = {
  readonly id: number;
  readonly name: string;
  readonly isPublic: boolean;
  /** Members during the whole run. In a private stream only they send, and they add others. */
  readonly staying: readonly TestAccount[];
};

export type Population = {
  readonly people: readonly TestAccount[];
  readonly guest: TestAccount;
  /** Those who join and leave. */
  readonly movers: readonly TestAccount[];
  /** A public stream whose members are everybody, during the whole run. */
  readonly everybody: ChaosStream;
  /** Streams that the movers join and leave. */
  readonly changing: readonly ChaosStream[];
};

const peopleCount = 20;
const moversCount = 8;
const stayingInPrivate = 4;

/** Creates the organization through the store modules, before the traffic. */
export async function makePopulation(system: ChaosSystem): Promise<Population> {
  await using organization = await TestOrganization.create(
    system.cluster.settings,
    () => system.urls,
  );
  const people = await organization.makeAccounts(
    Array.from({ length: peopleCount }, (_, index) => `Person ${index}`),
  );
  const guest = await organization.makeAccount('Some Guest', { role: 'guest' });
  const movers = people.slice(peopleCount - moversCount);
  const others = people.slice(0, peopleCount - moversCount);
  const make = async (
    name: string,
    isPublic: boolean,
    staying: readonly TestAccount[],
  ): Promise<ChaosStream> => {
    const { id } = await organization.makeStream(name, staying, { inviteOnly: !isPublic });
    return { id, name, isPublic, staying };
  };
  return {
    people,
    guest,
    movers,
    everybody: await make('everybody', true, [...people, guest]),
    changing: [
      await make('open one', true, others.slice(0, 6)),
      await make('open two', true, [...others.slice(3), guest]),
      await make('closed one', false, others.slice(0, stayingInPrivate)),
      await make('closed two', false, others.slice(-stayingInPrivate)),
    ],
  };
}
