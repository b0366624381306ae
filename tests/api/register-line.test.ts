/** Registers of many clients at once, on a node that has few connections for them. */
import { readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import type { Client } from '@parley/database';
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

/** The store uses this lock to count and store the queues of a person and the person's bots. */
const queuesLock = 7_217_005;

const organization = useFixture(() =>
  startSmallOrganization({
    events: 1,
    messages: 1,
    // The number of registers in one batch.
    serviceEnvironment: {
      events: { PARLEY_DATABASE_POOL_MAX: '4' },
    },
  }),
);

function waiting(): Promise<number> {
  return organization.cluster.getProcess('events', 0).readMetric('parley_event_registers_waiting');
}

/** While the work runs, registers of this person and the bots do not finish, and so no others do. */
async function whileRegistersOfAreHeld(who: PersonKey, work: () => Promise<void>): Promise<void> {
  const lock = [queuesLock, organization.id(who)];
  const client: Client = await organization.pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1, $2)', lock);
    await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lock);
    client.release();
  }
}

async function waitUntilOneIsHeld(): Promise<void> {
  await waitUntil('a register is held by the lock', async () => {
    const { rows } = await organization.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND classid = ${queuesLock} AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows[0]?.count === 1;
  });
}

async function countQueues(who: PersonKey): Promise<number> {
  const { rows } = await organization.pool.query<{ count: number }>({
    text: 'SELECT count(*) AS count FROM event_queues WHERE user_id = $1',
    values: [organization.id(who)],
  });
  return rows[0]?.count ?? 0;
}

test('many more registers than connections are all answered at once, each with its own state', async () => {
  const people = ['ann', 'bob', 'cat', 'gil'] as const;
  const requesters = Array.from({ length: 120 }, (_, n) => people[n % people.length] ?? 'ann');
  const answers = await Promise.all(
    requesters.map((who) => organization.client(who).request('POST', 'register', {})),
  );
  expect(answers.map(({ status }) => status)).toEqual(requesters.map(() => 200));
  for (const [index, { body }] of answers.entries())
    expect(body['user_id']).toBe(organization.id(requesters[index] ?? 'ann'));
  expect(new Set(answers.map(({ body }) => body['queue_id'])).size).toBe(requesters.length);
  const guest = answers[requesters.indexOf('gil')]?.body;
  const administrator = answers[requesters.indexOf('ann')]?.body;
  expect(guest?.['is_guest']).toBe(true);
  expect(administrator?.['is_admin']).toBe(true);
});

test('registers in one batch get their own state and nothing of others', async () => {
  await organization.client('ann').patch('realm', { email_address_visibility: 3 });
  const people = ['ann', 'bob', 'cat', 'gil'] as const;
  const registers = people.flatMap((who) =>
    [true, false].map((client_gravatar) => ({ who, form: { client_gravatar } })),
  );
  const register = async ({
    who,
    form,
  }: {
    who: PersonKey;
    form: { client_gravatar: boolean };
  }): Promise<JsonObject> => {
    const { queue_id: _id, ...state } = await organization.client(who).post('register', form);
    return state;
  };
  const alone: JsonObject[] = [];
  for (const one of registers) alone.push(await register(one));
  const together: Promise<JsonObject>[] = [];
  await whileRegistersOfAreHeld('bob', async () => {
    together.push(register({ who: 'bobBot', form: { client_gravatar: true } }));
    await waitUntilOneIsHeld();
    together.push(...registers.map(register));
    await waitUntil('all others wait', async () => (await waiting()) === registers.length);
  });
  const [, ...states] = await Promise.all(together);
  expect(states).toEqual(alone);
  const addressesSeen = states.map((state) =>
    readObjects(state, 'realm_users').some((user) => 'delivery_email' in user),
  );
  expect(addressesSeen).toEqual(registers.map(({ who }) => who === 'ann'));
});

test('a register that Postgres refuses does not affect others', async () => {
  const bad = { event_types: ['\u0000'], fetch_event_types: [] };
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      organization
        .client(n % 2 === 0 ? 'ann' : 'bob')
        .request('POST', 'register', n % 3 === 0 ? bad : { fetch_event_types: [] }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    answers.map((_, n) => (n % 3 === 0 ? 400 : 200)),
  );
});

test('while registers wait other requests continue, and no queue is created for a client that disconnects', async () => {
  const cat = organization.client('cat');
  const queue = await cat.post('register', { fetch_event_types: [] });
  const queuesBefore = await countQueues('gil');
  const held: Promise<{ readonly status: number }>[] = [];
  await whileRegistersOfAreHeld('bob', async () => {
    held.push(organization.client('bob').request('POST', 'register', { fetch_event_types: [] }));
    await waitUntilOneIsHeld();
    held.push(organization.client('ann').request('POST', 'register', { fetch_event_types: [] }));
    const leaving = new AbortController();
    const gone = organization
      .client('gil')
      .request('POST', 'register', { fetch_event_types: [] }, { signal: leaving.signal })
      .catch(() => undefined);
    await waitUntil('two registers wait', async () => (await waiting()) === 2);
    leaving.abort();
    await gone;
    await waitUntil('the one that left does not', async () => (await waiting()) === 1);
    const poll = await cat.request('GET', 'events', {
      queue_id: queue['queue_id'],
      last_event_id: queue['last_event_id'],
      dont_block: true,
    });
    const deletion = await cat.request('DELETE', 'events', { queue_id: queue['queue_id'] });
    expect([poll.status, deletion.status]).toEqual([200, 200]);
  });
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  expect(await countQueues('gil')).toBe(queuesBefore);
});
