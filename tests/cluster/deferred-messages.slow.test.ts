/** Deferred messages while the processes that send them die, and while two of them take the same ones, with exact counts. */
import { FaultProxy, getTestStores, processOf, waitUntil } from '@parley/test-kit';
import type { ServiceNode, ServiceProcess, TestAccount } from '@parley/test-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { startMessageFixture } from '../api/message-fixture.ts';
import type { MessageFixture } from '../api/message-fixture.ts';

let all: MessageFixture;
let postgres: FaultProxy;
beforeAll(async () => {
  postgres = await FaultProxy.start(getTestStores().databaseUrl);
  all = await startMessageFixture({ messages: 0, ownProcesses: true });
  const { organization, ann, bob, cat } = all;
  await organization.makeStream('Denmark', [ann, bob, cat]);
});
afterEach(async () => {
  // Only a test that failed leaves more than one, which would take part in the next.
  for (const left of all.cluster.findProcesses('messages').slice(0, -1)) await left.kill();
});
afterAll(async () => {
  await all.stop();
  await postgres.stop();
});

/** A messages service whose statements a test can hold back. */
async function startDoomed(): Promise<ServiceProcess> {
  const started = await all.cluster.startAnother('messages', {
    DATABASE_URL: postgres.through(all.cluster.settings.databaseUrl),
  });
  return processOf(started);
}

/** The service of the test before goes on. */
async function findOrStart(): Promise<ServiceNode> {
  return all.cluster.findProcesses('messages').at(-1) ?? (await startDoomed());
}

/** Repeated with its key while a gateway still calls a dead process. */
async function defer(account: TestAccount, content: string, change: object = {}): Promise<void> {
  await account.typed.request('POST /messages', {
    type: 'stream',
    to: 'Denmark',
    topic: 'lunch',
    content,
    delivery_type: 'send_later',
    deliver_at: '2999-01-01T12:00Z',
    ...change,
  });
}

/** Makes all waiting messages due, and releases all claims. */
async function letTimeCome(): Promise<void> {
  await all.pool.query(
    `UPDATE deferred_messages SET deliver_at = least(deliver_at, parley_now()), due_at = parley_now()`,
  );
}

async function waiting(): Promise<number> {
  const { rows } = await all.pool.query('SELECT id FROM deferred_messages');
  return rows.length;
}

async function settle(): Promise<void> {
  await waitUntil('nothing waits', async () => (await waiting()) === 0);
}

async function contents(where: string): Promise<string[]> {
  const { rows } = await all.pool.query<{ content: string }>({
    text: 'SELECT content FROM messages WHERE content LIKE $1 ORDER BY id',
    values: [where],
  });
  return rows.map(({ content }) => content);
}

// Each is a statement of the killed process that Postgres never receives, or receives without the process getting the outcome.
test.each([
  { place: 'before it was taken', statement: 'deferred-message-take' },
  { place: 'while it was taken', statement: 'deferred-message-take', arrives: true },
  { place: 'before it was sent', statement: 'the content' },
  { place: 'while it was sent', statement: 'the content', arrives: true },
  { place: 'between the send and the end', statement: 'deferred-message-remove' },
  { place: 'while it ended', statement: 'deferred-message-remove', arrives: true },
])('killed $place, a message and a reminder are sent once', async (of) => {
  for (const kind of ['send_later', 'remind']) {
    const content = `${of.place} ${kind}`;
    const statement = of.statement === 'the content' ? content : of.statement;
    const doomed = await findOrStart();
    await defer(all.cat, content, { delivery_type: kind });
    const held = postgres.holdBack('to-server', (bytes) => bytes.includes(statement));
    await letTimeCome();
    await held.caught;
    await doomed.kill('SIGKILL');
    if (of.arrives !== true) postgres.cut();
    held.release();
    const first = await startDoomed();
    await startDoomed();
    await letTimeCome();
    await settle();
    expect(await contents(`%${content}`)).toHaveLength(1);
    await first.kill('SIGTERM');
  }
});

async function findId(content: string): Promise<number> {
  const { scheduled_messages: listed } = await all.cat.typed.request('GET /scheduled_messages');
  const found = listed.find((message) => message.content === content);
  if (found === undefined) throw new Error(`${content} does not wait`);
  return found.scheduled_message_id;
}

// The client does not learn the outcome, but the list says whether the message is still sent.
test.each([
  { place: 'before it was cancelled', statement: 'deferred-message-cancel', isSent: true },
  { place: 'before the commit', statement: 'log-append', isSent: true },
  { place: 'after the commit', statement: 'log-append', arrives: true, isSent: false },
])('killed $place, a message is sent if it is still listed', async (of) => {
  const doomed = await findOrStart();
  const content = `cancelled: ${of.place}`;
  await defer(all.cat, content);
  const id = await findId(content);
  let isAsked = false;
  const held = postgres.holdBack('to-server', (bytes) => {
    isAsked ||= bytes.includes('deferred-message-cancel');
    return isAsked && bytes.includes(of.statement);
  });
  const answer = all.cat.client.request('DELETE', `scheduled_messages/${id}`);
  await held.caught;
  if (of.arrives === true) {
    held.release();
    await waitUntil('it is cancelled', async () => (await waiting()) === 0);
  }
  await doomed.kill('SIGKILL');
  postgres.cut();
  held.release();
  await answer;
  await startDoomed();
  expect(await waiting()).toBe(of.isSent ? 1 : 0);
  await letTimeCome();
  await settle();
  expect(await contents(content)).toHaveLength(of.isSent ? 1 : 0);
});

test('killed after it took a message, the message can no longer be cancelled and is sent once', async () => {
  const doomed = await findOrStart();
  const content = 'taken before the cancellation';
  await defer(all.cat, content);
  const id = await findId(content);
  const held = postgres.holdBack('to-server', (bytes) => bytes.includes(content));
  await letTimeCome();
  await held.caught;
  await doomed.kill('SIGKILL');
  postgres.cut();
  held.release();
  await startDoomed();
  const refusal = await all.cat.client.request('DELETE', `scheduled_messages/${id}`);
  expect(refusal.body).toMatchObject({ msg: 'Scheduled message is already being sent' });
  await letTimeCome();
  await settle();
  expect(await contents(content)).toHaveLength(1);
});

test('a message whose storage Postgres did not confirm is stored once', async () => {
  await findOrStart();
  // The service also commits background work, on connections that the request then cannot use.
  let isAsked = false;
  const asking = postgres.holdBack('to-server', (bytes) => {
    isAsked ||= bytes.includes('stored?');
    return false;
  });
  const held = postgres.holdBack('to-client', (bytes) => isAsked && bytes.includes('COMMIT'));
  const answer = all.cat.client.post('messages', {
    type: 'stream',
    to: 'Denmark',
    topic: 'lunch',
    content: 'stored?',
    delivery_type: 'send_later',
    deliver_at: '2999-01-01T12:00Z',
  });
  await waitUntil('it is stored', async () => (await waiting()) === 1);
  postgres.cut();
  held.release();
  asking.release();
  expect(await answer).toMatchObject({ deliver_at: '2999-01-01T12:00:00+00:00' });
  expect(await waiting()).toBe(1);
  await letTimeCome();
  await settle();
});

test('a message refused when due causes one notice even if the process dies after it', async () => {
  const doomed = await findOrStart();
  const { ann, organization, pool } = all;
  const { id } = await organization.makeStream('closing', [ann]);
  await defer(ann, 'too late', { to: 'closing' });
  await pool.query({
    text: 'UPDATE streams SET is_deactivated = true, version = version + 1 WHERE id = $1',
    values: [id],
  });
  const held = postgres.holdBack('to-server', (bytes) => bytes.includes('deferred-message-remove'));
  await letTimeCome();
  await held.caught;
  await doomed.kill('SIGKILL');
  postgres.cut();
  held.release();
  await startDoomed();
  await letTimeCome();
  await settle();
  expect(await contents('%too late%')).toHaveLength(1);
});

test('two services share due messages, also after one of them ends: each once and in order', async () => {
  const services = [await findOrStart(), await startDoomed()];
  const people = [all.ann, all.bob, all.cat];
  const perPerson = 60;
  const numbers = Array.from({ length: perPerson }, (_, n) => String(n).padStart(3, '0'));
  await Promise.all(
    people.map(async (person) => {
      for (const number of numbers) await defer(person, `many ${person.id} ${number}`);
    }),
  );
  await letTimeCome();
  await waitUntil('some are sent', async () => (await contents('many %')).length > 20, {});
  await services[0]?.kill('SIGTERM');
  await settle();
  for (const { id } of people)
    expect(await contents(`many ${id} %`)).toEqual(numbers.map((number) => `many ${id} ${number}`));
});

test('messages due while no service ran are sent when one runs, and an unavailable database is awaited', async () => {
  const first = await findOrStart();
  await defer(all.bob, 'while nobody ran');
  await first.kill('SIGTERM');
  await letTimeCome();
  await startDoomed();
  await settle();
  expect(await contents('while nobody ran')).toHaveLength(1);
  await defer(all.bob, 'while it was away');
  postgres.refuse(true);
  postgres.cut();
  await letTimeCome();
  postgres.refuse(false);
  await settle();
  expect(await contents('while it was away')).toHaveLength(1);
});
