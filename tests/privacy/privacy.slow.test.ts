/**
 * Nothing private is delivered, counted, searched, linked, rendered or hinted at outside its audience (architecture, What always
 * holds): people of every kind request everything from every endpoint. `PARLEY_PROPERTY_SEED` repeats a run by its printed seed.
 */
import { isJsonObject, makeOrganization, startLocalCluster } from '@parley/test-kit';
import type { Cluster, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { seedsOf } from '../support/seeds.ts';
import { EventReader } from './event-reader.ts';
import { hideAddresses, lookForAddresses } from './hidden-addresses.ts';
import { interrogate } from './interrogation.ts';
import { Judge } from './judge.ts';
import { Population } from './population.ts';
import { SeededRandom } from './seeded-random.ts';
import { addSomeEmoji, reportPresences } from './showing-up.ts';
import { isRefused, mayReceive } from './world.ts';
import type { Person, World } from './world.ts';

// Far above what it takes on a slow machine that is shared.
const interrogationTimeoutMs = 1_800_000;

/** @returns the faults, of which only one is kept if they differ only in numbers, names and marks */
function oneOfEach(faults: readonly string[]): string[] {
  const byKind = new Map(
    faults.map((fault) => [fault.replaceAll(/\d+|mq[a-z]{12}|"[^"]*"|^[^,]*/g, ''), fault]),
  );
  return [...byKind.values()];
}

describe.each(seedsOf('privacy'))('seed %i', (seed) => {
  const random = new SeededRandom(seed);
  let cluster: Cluster;
  let organization: TestOrganization;
  let world: World;
  let readers: readonly EventReader[];

  beforeAll(async () => {
    cluster = await startLocalCluster({ gateways: 2, time: 'flows' });
    organization = await makeOrganization(cluster);
    const population = new Population(random);
    ({ world } = population);
    await population.makePeople(organization);
    const wide = await EventReader.openWide(world);
    await population.makeStreams();
    await population.makeLists();
    readers = [...wide, ...(await EventReader.openNarrow(world, random))];
    await population.setOwnSecrets();
    await reportPresences(world);
    await addSomeEmoji(world, random);
    await population.sendMessages();
    await population.uploadFiles();
    await population.changeMembers();
    await population.sendMessages();
    await population.editMessages();
    await population.deactivate();
    await population.describeStreams();
    await population.changePrivacy();
    await population.changeMembers();
    await population.sendMessages();
    await population.changePrivacy();
    await population.sendMessages();
    await population.hangOn();
  });
  afterAll(async () => {
    await organization?.close();
    await cluster?.stop();
  });

  /** Reads all queues. @returns a sentence for each event that should not be there, and for each missing message */
  async function readQueues(
    judge: Judge,
    said: ReadonlyMap<Person, readonly string[]>,
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const reader of readers.filter(({ person }) => !isRefused(person))) {
      const { person, kind } = reader;
      const received = new Set<number>();
      for (const event of await reader.read()) {
        const found = judge.eventFaults(person, said.get(person) ?? [], event);
        const { type, message } = event;
        faults.push(
          ...found.map((fault) => `${person.fullName}, ${kind} queue, ${String(type)}: ${fault}`),
        );
        if (isJsonObject(message)) received.add(Number(message['id']));
      }
      if (kind !== 'wide' || said.size > 0) continue;
      const missing = world.messages.filter(
        (message) => mayReceive(person, message) && !received.has(message.id),
      );
      faults.push(...missing.map(({ id }) => `${person.fullName} got no event of message ${id}`));
    }
    return faults;
  }

  test('queues deliver only events for their owners', async () => {
    const faults = await readQueues(new Judge(world), new Map());
    expect(oneOfEach(faults)).toEqual([]);
  });

  test(
    'nobody finds private data of others',
    async () => {
      const judge = new Judge(world);
      const { faults, said, requests } = await interrogate(world, judge, random, readers);
      expect(oneOfEach(faults)).toEqual([]);
      expect(oneOfEach(await readQueues(judge, said))).toEqual([]);
      expect(requests).toBeGreaterThan(10_000);
    },
    interrogationTimeoutMs,
  );

  test(
    'hidden addresses are visible only to administrators',
    async () => {
      await hideAddresses(world);
      expect(oneOfEach(await lookForAddresses(world, random))).toEqual([]);
    },
    interrogationTimeoutMs,
  );
});
