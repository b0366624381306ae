/** Requests for very many people or streams: one entry of the log, in which every event has a separate id. */
import type { ChangeEntry, LogEntry } from '@parley/event-log';
import { readObjects, untilAvailable } from '@parley/test-kit';
import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { StreamFixture, coded } from './stream-fixture.ts';

const peopleCount = 1_500;

let people: TestAccount[];
const all = useFixture(() =>
  StreamFixture.start(undefined, {
    environment: {
      PARLEY_NEW_STREAMS_PER_REQUEST_MAX: '1700',
      PARLEY_NEW_STREAMS_PER_DAY_MAX: '10000',
      PARLEY_NEW_SUBSCRIPTIONS_PER_DAY_MAX: '1000000',
      PARLEY_STREAMS_MAX: '10000',
      PARLEY_LIST_TEXTS_MAX_KIB: '65536',
      PARLEY_SUBSCRIPTIONS_MAX: '1000000',
    },
    // If all services ran in one process, a transaction would wait for the others' work until Postgres ended it.
    ownProcesses: true,
  }),
);
beforeAll(async () => {
  people = [];
  for (let n = 0; n < peopleCount; n += 500)
    people.push(
      ...(await all.all.organization.makeAccounts(
        Array.from({ length: 500 }, (_, k) => `Person ${n + k}`),
      )),
    );
});

async function entriesAfter(position: number): Promise<{ entry: ChangeEntry; length: number }[]> {
  const { rows } = await all.all.pool.query<{ payload: string; length: number }>({
    text: 'SELECT payload, length FROM log_entries WHERE position > $1 ORDER BY position',
    values: [position],
  });
  return rows.flatMap(({ payload, length }) => {
    const entry = JSON.parse(payload) as LogEntry;
    return entry.kind === 'change' ? [{ entry, length }] : [];
  });
}

async function position(): Promise<number> {
  const { rows } = await all.all.pool.query<{ position: number }>(
    'SELECT max(position + length - 1) AS position FROM log_entries',
  );
  return rows[0]?.position ?? 0;
}

/** Reads a queue to its end, including ids. */
async function readAll(account: TestAccount, queue: JsonObject): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  let lastEventId = queue['last_event_id'];
  for (;;) {
    const answer = await account.client.get('events', {
      queue_id: queue['queue_id'],
      last_event_id: lastEventId,
      dont_block: true,
    });
    const more = readObjects(answer, 'events').filter(({ type }) => type !== 'heartbeat');
    if (more.length === 0) return events;
    events.push(...more);
    lastEventId = more.at(-1)?.['id'];
  }
}

const register = (account: TestAccount): Promise<JsonObject> =>
  account.client.post('register', { event_types: ['subscription'], fetch_event_types: [] });

const everybody = (): string[] => people.map(({ email }) => email);

test('people in one request share one entry, and bystanders get an event with its own id for each', async () => {
  const { ann, bob, cat } = all.people;
  await all.join('bob', ['crowd']);
  const first = people[0];
  if (first === undefined) throw new Error('nobody was made');
  const [ofCat, ofFirst] = [await register(cat), await register(first)];
  const before = await position();
  const answer = await all.join('ann', ['crowd'], { principals: everybody() });
  expect(Object.keys(answer['subscribed'] as object)).toHaveLength(peopleCount);
  const [made, ...more] = (await entriesAfter(before)).filter(({ entry }) =>
    entry.effects.some(({ effect }) => effect === 'joined'),
  );
  expect(more).toEqual([]);
  // People with the same colour share an event.
  expect(made?.length).toBeLessThan(peopleCount + 10);
  const events = await readAll(cat, ofCat);
  expect(events.map((event) => event['user_id'])).toEqual(people.map(({ id }) => id));
  const ids = events.map((event) => event['id'] as number);
  expect(ids).toEqual(Array.from({ length: peopleCount }, (_, n) => (ids[0] ?? 0) + n));
  const added = await readAll(first, ofFirst);
  expect(added.map((event) => event['op'])).toEqual(['add']);
  const [subscription] = readObjects(added[0] ?? {}, 'subscriptions');
  expect(subscription?.['subscribers']).toEqual(
    [bob, ...people].map(({ id }) => id).toSorted((a, b) => a - b),
  );
  expect(ann.id).toBeLessThan(first.id);
  expect(await cat.client.get(`streams/${await all.streamId('crowd')}/members`)).toMatchObject({
    subscribers: [bob.email, ...everybody()].toSorted((a, b) => (a < b ? -1 : 1)),
  });
});

test('their removal is one entry too, and their unread messages become read', async () => {
  const { bob, cat } = all.people;
  const [first, second] = people;
  if (first === undefined || second === undefined) throw new Error('nobody was made');
  const unread = await bob.client.sendToStream('crowd', 'x', 'unread');
  const flags = await first.client.post('register', {
    event_types: ['update_message_flags'],
    fetch_event_types: [],
  });
  const ofCat = await register(cat);
  const before = await position();
  expect(await all.leave('ann', ['crowd'], { principals: everybody() })).toMatchObject({
    removed: people.map(() => 'crowd'),
  });
  const entries = (await entriesAfter(before)).filter(({ entry }) =>
    entry.effects.some(({ effect }) => effect === 'left'),
  );
  expect(entries).toHaveLength(1);
  const events = await readAll(cat, ofCat);
  expect(events.map((event) => [event['op'], event['user_id']])).toEqual(
    people.map(({ id }) => ['peer_remove', id]),
  );
  const [read, ...more] = await readAll(first, flags);
  expect(more).toEqual([]);
  expect(read?.['messages']).toContain(unread);
  const state = await second.client.post('register', {
    fetch_event_types: ['message', 'update_message_flags'],
  });
  expect((state['unread_msgs'] as JsonObject)['streams']).toEqual([]);
});

test('one person joins and leaves 1,700 streams at once', async () => {
  const { dan } = all.people;
  const names = Array.from({ length: 1_700 }, (_, n) => `stream ${n}`);
  expect(await untilAvailable(() => all.join('dan', names))).toMatchObject({
    subscribed: { [dan.email]: names },
  });
  expect(await untilAvailable(() => all.join('dan', names))).toMatchObject({
    subscribed: {},
    already_subscribed: { [dan.email]: names },
  });
  expect(await untilAvailable(() => all.leave('dan', names))).toMatchObject({
    removed: names,
    not_subscribed: [],
  });
  const secret = names.map((name) => `secret ${name}`);
  const description = 'what **this** stream is about '.repeat(30);
  await untilAvailable(() =>
    dan.client.post('users/me/subscriptions', {
      subscriptions: secret.map((name) => ({ name, description })),
      invite_only: true,
    }),
  );
  // Each stream loses its only member.
  expect(await untilAvailable(() => all.leave('dan', secret))).toMatchObject({ removed: secret });
  const { rows } = await all.all.pool.query<{ ended: number }>(
    "SELECT count(*)::int AS ended FROM streams WHERE is_deactivated AND name LIKE '!DEACTIVATED:secret stream%'",
  );
  expect(rows[0]?.ended).toBe(1_700);
});

test('more than fifty thousand pairs are refused without a change', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `never ${n}`);
  const tooMany = coded('Too many people and streams in one request (limit: 50000 pairs)');
  expect(
    await all.refusal('ann', 'POST', 'users/me/subscriptions', {
      subscriptions: names.map((name) => ({ name })),
      principals: everybody(),
    }),
  ).toEqual(tooMany);
  expect(await all.stream('never 0')).toBe(undefined);
  const long = Array.from({ length: 50_001 }, (_, n) => `never ${n}`);
  const lists: ['POST' | 'PATCH' | 'DELETE', Parameters][] = [
    ['POST', { subscriptions: long.map((name) => ({ name })) }],
    ['POST', { subscriptions: [{ name: 'never 0' }], principals: long }],
    ['DELETE', { subscriptions: long }],
    ['PATCH', { delete: long }],
  ];
  for (const [method, parameters] of lists)
    expect(await all.refusal('ann', method, 'users/me/subscriptions', parameters)).toEqual(tooMany);
});
