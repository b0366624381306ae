/**
 * State and events together are complete (architecture, Queues). While everything changes, people register; their state plus the
 * events must equal the answer of a new register. A seed repeats a run, except for the order of concurrent requests.
 */
import { readObjects, startSystem } from '@parley/test-kit';
import type { Cluster, JsonObject, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SeededRandom } from '../../privacy/seeded-random.ts';
import { seedsOf } from '../../support/seeds.ts';
import { applyEvent } from './apply-event.ts';
import { ClientState } from './client-state.ts';
import type { Reader } from './client-state.ts';
import { compareStates } from './compare-states.ts';
import { Mutator } from './mutator.ts';
import { operations, tableOfOperations } from './operations.ts';
import { World } from './world.ts';

type Options = Pick<Reader, 'includeSubscribers' | 'clientGravatar' | 'nullSettings'>;

/** Each reader uses these clients in turn. */
const clients: readonly Options[] = [
  { includeSubscribers: true, clientGravatar: false, nullSettings: false },
  { includeSubscribers: false, clientGravatar: true, nullSettings: true },
  { includeSubscribers: true, clientGravatar: true, nullSettings: true },
];

type Follower = {
  readonly account: TestAccount;
  readonly options: Options;
  readonly client: ClientState;
  readonly queueId: string;
  lastEventId: number;
};

function register(account: TestAccount, options: Options): Promise<JsonObject> {
  return account.client.post('register', {
    include_subscribers: options.includeSubscribers,
    client_gravatar: options.clientGravatar,
    client_capabilities: { notification_settings_null: options.nullSettings },
  });
}

async function open(
  { world, mutator }: { readonly world: World; readonly mutator: Mutator },
  account: TestAccount,
  options: Options,
): Promise<Follower> {
  const askedAtSecs = Math.floor(world.nowMs / 1_000);
  const answer = await mutator.duringRegister(() => register(account, options));
  const reader = { ...options, askedAtSecs, userId: account.id, role: account.user.role };
  return {
    account,
    options,
    client: new ClientState(answer, reader),
    queueId: answer['queue_id'] as string,
    lastEventId: answer['last_event_id'] as number,
  };
}

/** Applies all events up to a position. A non-blocking poll sees everything that was acknowledged before it. */
async function follow(follower: Follower, upTo: number, seen: JsonObject[]): Promise<void> {
  for (;;) {
    const answer = await follower.account.client.get('events', {
      queue_id: follower.queueId,
      last_event_id: follower.lastEventId,
      dont_block: true,
    });
    const events = readObjects(answer, 'events');
    for (const event of events) {
      if ((event['id'] as number) > upTo) return;
      follower.lastEventId = event['id'] as number;
      seen.push(event);
      applyEvent(follower.client, event);
    }
    if (events.length === 0) return;
  }
}

async function findMessage(account: TestAccount, id: number): Promise<JsonObject | undefined> {
  const answer = await account.client.get('messages', { anchor: id, num_before: 0, num_after: 0 });
  return readObjects(answer, 'messages').find((message) => message['id'] === id);
}

async function listUnread(account: TestAccount): Promise<readonly JsonObject[]> {
  const narrow = [['is', 'unread']];
  const parameters = { narrow, anchor: 'newest', num_before: 1_000, num_after: 0 };
  return readObjects(await account.client.get('messages', parameters), 'messages');
}

/** @returns a sentence for each difference between the client's state and the answer of register */
async function check(follower: Follower): Promise<string[]> {
  const { account, options, client } = follower;
  const fresh = await register(account, options);
  await account.client.delete('events', { queue_id: fresh['queue_id'] });
  const events: JsonObject[] = [];
  await follow(follower, fresh['last_event_id'] as number, events);
  await client.unread.lookUp(
    (id) => findMessage(account, id),
    () => listUnread(account),
  );
  const found = compareStates(client, fresh);
  await account.client.delete('events', { queue_id: follower.queueId });
  const who = `${account.user.fullName} (${account.user.role}) ${JSON.stringify(options)}`;
  const sentences = found.slice(0, 20).map((difference) => `${who}: ${difference}`);
  if (found.length > 0 && process.env['PARLEY_SHOW_EVENTS'] !== undefined)
    sentences.push(events.map((event) => JSON.stringify(event).slice(0, 400)).join('\n'));
  return sentences;
}

/** The objects that exist at the beginning. */
async function fill(world: World, mutator: Mutator): Promise<void> {
  const named = (name: string) => operations.filter((operation) => operation.name === name);
  for (const name of ['create a public stream', 'create a private stream'])
    for (let n = 0; n < 8; n += 1)
      for (const operation of named(name)) await mutator.runOne(operation);
  for (const name of ['subscribe many', 'create a bot', 'change groups', 'change default streams'])
    for (let n = 0; n < 3; n += 1)
      for (const operation of named(name)) await mutator.runOne(operation);
  for (let n = 0; n < 30; n += 1)
    for (const operation of named('send a message')) await mutator.runOne(operation);
  expect(world.messageIds.length).toBeGreaterThan(10);
}

/**
 * @param options.rounds how many rounds
 * @param options.ownProcesses whether each node is a separate process
 * @param options.leastOfTable how often each operation of the table must be made while a register was pending
 */
export function testStateAndEvents(options: {
  readonly rounds: number;
  readonly leastOfTable: number;
  readonly timeoutMs: number;
  readonly ownProcesses?: boolean;
}): void {
  describe.each(seedsOf('state and events'))('seed %i', (seed) => {
    let cluster: Cluster;
    let world: World;
    beforeAll(async () => {
      cluster = await startSystem({
        ownProcesses: options.ownProcesses ?? false,
        // Messages that were scheduled for soon are sent while other things change.
        time: 'flows',
        events: 2,
        messages: 2,
        subscriptions: 2,
        people: 2,
        presence: 2,
        gateways: 2,
      });
      world = await World.make(cluster, new SeededRandom(seed));
    });
    afterAll(async () => {
      await world?.endOrganization();
      await cluster?.stop();
    });

    test(
      `state and events are complete, ${options.rounds} rounds`,
      async () => {
        const mutator = new Mutator(world, 4);
        await fill(world, mutator);
        for (const tally of mutator.tallies.values()) Object.assign(tally, { done: 0, failed: 0 });
        for (let round = 0; round < options.rounds; round += 1) {
          mutator.start();
          const accounts = world.random.sample(Object.values(world.readers), 4);
          const followers: Follower[] = [];
          for (const [n, account] of accounts.entries()) {
            const kind = clients[(round + n) % clients.length];
            if (kind !== undefined) followers.push(await open({ world, mutator }, account, kind));
          }
          await mutator.pause();
          const found: string[] = [];
          for (const follower of followers) found.push(...(await check(follower)));
          expect(found, `seed ${seed}, round ${round}:\n${found.join('\n')}`).toEqual([]);
        }
        const counts = [...mutator.tallies].map(
          ([name, { done, duringRegister, failed }]) =>
            `${name}: ${duringRegister} during a register, ${done} in all, ${failed} refused`,
        );
        console.log(`seed ${seed}, ${options.rounds} rounds\n${counts.join('\n')}`);
        for (const name of tableOfOperations)
          expect(
            mutator.tallies.get(name)?.duringRegister,
            `${name}\n${counts.join('\n')}`,
          ).toBeGreaterThanOrEqual(options.leastOfTable);
      },
      options.timeoutMs,
    );
  });
}
