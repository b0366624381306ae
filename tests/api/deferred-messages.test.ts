/** Messages that are sent later (reference facts, messages 3.2), on two replicas. */
import { transaction } from '@parley/database';
import { takeDueDeferredMessage } from '@parley/store';
import { settle } from '@parley/test-kit';
import type { Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { untilStatementsWait } from '../support/held-transaction.ts';
import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import type { Message } from './message-fixture.ts';

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat, guest } = all;
  await organization.makeStream('Denmark', [ann, bob, cat]);
  await organization.makeStream('secret', [bob], { inviteOnly: true });
  await organization.makeStream('for guests', [guest, cat]);
});

/** Far in the future, so that nothing becomes due by itself. */
const farAhead = '2999-07-01T12:00:00+02:00';

const later = {
  type: 'stream',
  to: 'Denmark',
  topic: 'lunch',
  content: 'hello',
  delivery_type: 'send_later',
  deliver_at: farAhead,
};

let made = 0;

async function makePerson(): Promise<TestAccount> {
  made += 1;
  return all.organization.makeAccount(`Person ${made}`);
}

const defer = async (account: TestAccount, change: Parameters = {}): Promise<unknown> =>
  (await account.client.post('messages', { ...later, ...change }))['deliver_at'];

async function countWaiting(account: TestAccount): Promise<number> {
  const { rows } = await all.pool.query<{ waiting: number }>({
    text: 'SELECT count(*)::int AS waiting FROM deferred_messages WHERE sender_id = $1',
    values: [account.id],
  });
  return rows[0]?.waiting ?? 0;
}

async function changeStream(id: number, change: string): Promise<void> {
  await all.pool.query(`UPDATE streams SET ${change}, version = version + 1 WHERE id = $1`, [id]);
}

async function setActive(account: TestAccount, isActive: boolean): Promise<void> {
  await all.pool.query('UPDATE users SET is_active = $2 WHERE id = $1', [account.id, isActive]);
}

/** Makes the account's waiting messages due, in the order of their times. */
async function letTimeCome(account: TestAccount): Promise<void> {
  await all.pool.query({
    text: `UPDATE deferred_messages SET deliver_at = parley_now() - (timestamptz '3000-01-01' - deliver_at), due_at = parley_now()
      WHERE sender_id = $1`,
    values: [account.id],
  });
}

/** Lets every message of the account be delivered or refused. */
async function deliver(account: TestAccount): Promise<void> {
  await letTimeCome(account);
  await settle();
  expect(await countWaiting(account)).toBe(0);
}

/** Starts requests of an account such that all are checked before the first of them is stored. */
async function together<Outcome>(
  account: TestAccount,
  requests: readonly (() => Promise<Outcome>)[],
): Promise<PromiseSettledResult<Outcome>[]> {
  const begun = await transaction(all.pool, async (client) => {
    await client.query('SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', [account.id]);
    const outcomes = Promise.allSettled(requests.map(async (request) => request()));
    await untilStatementsWait(client, requests.length);
    return { outcomes };
  });
  return begun.outcomes;
}

async function sentBy(account: { readonly id: number }): Promise<string[]> {
  const { rows } = await all.pool.query<{ content: string }>({
    text: 'SELECT content FROM messages WHERE sender_id = $1 ORDER BY id',
    values: [account.id],
  });
  return rows.map(({ content }) => content);
}

/** The text of the notice about a message that was not sent. */
const notSent = (what: string, why: string, quoted = '```\nhello\n```'): string =>
  `${what} was not sent at its time: \`${why}\`\n\n${quoted}`;

async function privateMessages(account: TestAccount): Promise<readonly Message[]> {
  const { messages } = await fetchMessages(account, { narrow: [['is', 'private']] });
  return messages;
}

describe('a scheduled message', () => {
  test('returns its time, causes no event for others, and arrives at followers like any other', async () => {
    const { ann, bob } = all;
    const queue = await FollowedQueue.open(bob.client, { event_types: ['message'] });
    const answer = await ann.client.post('messages', { ...later, content: ' *soon* \n' });
    expect(answer).toEqual({ result: 'success', msg: '', deliver_at: farAhead });
    expect(await countWaiting(ann)).toBe(1);
    expect(await sentBy(ann)).toEqual([]);
    await ann.client.sendToStream('Denmark', 'lunch', 'the first event');
    await deliver(ann);
    const events = await queue.next(2);
    expect(events.map(({ message }) => message)).toMatchObject([
      { content: 'the first event' },
      {
        sender_id: ann.id,
        type: 'stream',
        display_recipient: 'Denmark',
        subject: 'lunch',
        content: ' *soon*',
        client: 'ParleyTest',
      },
    ]);
    // There is no local echo, because no client showed it when it was stored.
    expect(events[1]).not.toHaveProperty('local_message_id');
  });

  test('arrives at its time without further requests', async () => {
    const person = await makePerson();
    const { clock } = all.cluster.settings;
    const time = new Date(clock.nowMs() + 10_000).toISOString();
    const answered = await defer(person, { deliver_at: time });
    expect(Date.parse(String(answered))).toBe(Date.parse(time));
    await all.cluster.advance(Date.parse(time) - clock.nowMs() - 1);
    expect(await sentBy(person)).toEqual([]);
    await all.cluster.advance(1);
    expect(await sentBy(person)).toEqual(['hello']);
    const { rows } = await all.pool.query<{ isBefore: boolean }>({
      text: `SELECT sent_at < date_trunc('second', $2::timestamptz) AS "isBefore" FROM messages WHERE sender_id = $1`,
      values: [person.id, time],
    });
    expect(rows).toEqual([{ isBefore: false }]);
  });

  test.each([
    ['2999-07-01T12:00', undefined, '2999-07-01T12:00:00+09:00'],
    ['2999-07-01 12:00', 'Europe/Oslo', '2999-07-01T12:00:00+02:00'],
    ['2999-07-01T12:00Z', 'Europe/Oslo', '2999-07-01T12:00:00+00:00'],
  ])('%s with the zone %s is %s for a user in Tokyo', async (time, zone, expected) => {
    const person = await makePerson();
    await all.pool.query({
      text: `UPDATE users SET timezone = 'Asia/Tokyo' WHERE id = $1`,
      values: [person.id],
    });
    expect(await defer(person, { deliver_at: time, tz_guess: zone })).toBe(expected);
    const { rows } = await all.pool.query<{ isRight: boolean }>({
      text: 'SELECT deliver_at = $2 AS "isRight" FROM deferred_messages WHERE sender_id = $1',
      values: [person.id, expected],
    });
    expect(rows).toEqual([{ isRight: true }]);
  });

  test.each([
    ['a stream by id', async () => [(await all.organization.makeStream('by id', [])).id]],
    ['a stream in a list', async () => ['denmark ']],
    ['people by address', async () => 'bob@example.com, cat@example.com'],
    ['people by id', async () => [all.bob.id, all.cat.id]],
  ])('goes to %s', async (name, makeTo) => {
    const person = await makePerson();
    const type = name.startsWith('a stream') ? 'channel' : 'direct';
    await defer(person, { type, to: await makeTo(), content: name });
    await deliver(person);
    expect(await sentBy(person)).toEqual([name]);
    if (type === 'direct')
      for (const recipient of [all.bob, all.cat])
        expect((await privateMessages(recipient)).at(-1)).toMatchObject({ content: name });
  });

  test('goes to the same stream even after a rename', async () => {
    const person = await makePerson();
    const { id } = await all.organization.makeStream('Siam', [person]);
    await defer(person, { to: 'Siam' });
    await changeStream(id, "name = 'Thailand', name_folded = 'THAILAND'");
    await deliver(person);
    const { messages } = await fetchMessages(person, { narrow: [['stream', 'Thailand']] });
    expect(messages).toMatchObject([{ sender_id: person.id, content: 'hello' }]);
  });

  test('of guests and bots is sent to where they may send', async () => {
    const { guest, bot, bob } = all;
    await defer(guest, { to: 'for guests' });
    await defer(guest, { type: 'private', to: bob.email, content: 'from a guest' });
    // The bot may send there because its owner is subscribed.
    await defer(bot, { to: 'secret', content: 'from a bot' });
    await deliver(guest);
    await deliver(bot);
    expect(await sentBy(guest)).toEqual(['hello', 'from a guest']);
    expect(await sentBy(bot)).toEqual(['from a bot']);
  });

  test('keeps its widget', async () => {
    const person = await makePerson();
    await defer(person, { content: '/poll Where?\nHere' });
    await deliver(person);
    const { messages } = await fetchMessages(all.bob, { num_before: 1 });
    expect(messages).toMatchObject([
      { sender_id: person.id, submessages: [{ msg_type: 'widget' }] },
    ]);
  });

  test('messages of one sender arrive in the order of their times', async () => {
    const person = await makePerson();
    for (const day of ['07', '03', '05', '01'])
      await defer(person, { content: day, deliver_at: `2999-07-${day}T12:00Z` });
    for (const content of ['same 1', 'same 2', 'same 3']) await defer(person, { content });
    await deliver(person);
    expect(await sentBy(person)).toEqual(['same 1', 'same 2', 'same 3', '01', '03', '05', '07']);
  });

  test('is not delivered in a deactivated organization', async () => {
    const { pool } = all;
    const person = await makePerson();
    await defer(person);
    try {
      await pool.query('UPDATE realm SET is_deactivated = true');
      await letTimeCome(person);
      expect(await takeDueDeferredMessage(pool)).toBeUndefined();
      expect(await countWaiting(person)).toBe(1);
    } finally {
      await pool.query('UPDATE realm SET is_deactivated = false');
    }
    await settle();
    expect(await sentBy(person)).toEqual(['hello']);
  });
});

describe('refused by the request', () => {
  const noTime = 'Missing deliver_at in a request for delayed message delivery';
  const onlyStreams = 'Reminders can only be set for streams.';
  const toBob = { type: 'private', to: 'bob@example.com' };
  const toTwo = { type: 'direct', to: 'cat@example.com,bob@example.com' };
  const asReminder = { delivery_type: 'remind' };
  test.each<[string, Parameters, string]>([
    ['no time', { deliver_at: undefined }, noTime],
    ['no time of a reminder', { ...asReminder, deliver_at: undefined }, noTime],
    ['no date', { deliver_at: 'in an hour' }, 'Invalid time format'],
    ['no day of the calendar', { deliver_at: '2999-02-30T12:00' }, 'Invalid time format'],
    ['a time beyond all', { deliver_at: '+275761-01-01T00:00Z' }, 'Invalid time format'],
    ['the past', { deliver_at: '2001-01-01T00:00Z' }, 'Time must be in the future.'],
    ['an unknown type of delivery', { delivery_type: 'x' }, "Invalid delivery_type: 'x'"],
    ['a bad time before all else', { deliver_at: 'x', to: 'nowhere' }, 'Invalid time format'],
    ['an unknown stream', { to: 'nowhere' }, "Stream 'nowhere' does not exist"],
    ['a closed stream', { to: 'secret' }, "Stream 'secret' does not exist"],
    ['no topic', { topic: undefined }, 'Missing topic'],
    ['blank content', { content: ' ' }, 'Message must not be empty'],
    ['an unknown address', { type: 'private', to: 'nobody@x' }, "Invalid email 'nobody@x'"],
    ['no type', { type: 'x' }, 'Invalid message type'],
    ['a bad widget', { widget_content: '{' }, 'Widgets: API programmer sent invalid JSON content'],
    ['a reminder to somebody else', { ...toBob, ...asReminder }, onlyStreams],
    ['a reminder to oneself and another', { ...toTwo, ...asReminder }, onlyStreams],
  ])('%s', async (_name, change, msg) => {
    const { cat } = all;
    expect(await refusalOf(defer(cat, change))).toMatchObject({ status: 400, msg });
    expect(await countWaiting(cat)).toBe(0);
  });

  test('more than 500 for one account', async () => {
    const person = await makePerson();
    await all.pool.query({
      text: `INSERT INTO deferred_messages (send_key, content_hash, sender_id, is_reminder, stream_id, topic, content, client, deliver_at, due_at)
        SELECT 'filling ' || n, '', $1, false, 1, 'x', 'x', 'x', 'infinity', 'infinity' FROM generate_series(1, 499) n`,
      values: [person.id],
    });
    const outcomes = await together(
      person,
      Array.from({ length: 4 }, () => async () => defer(person)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusalOf(defer(person))).toMatchObject({
      status: 400,
      msg: 'Too many messages are waiting for their delivery (limit: 500).',
    });
    expect(await countWaiting(person)).toBe(500);
    expect(await defer(all.cat, { content: 'another account' })).toBe(farAhead);
    await deliver(all.cat);
  });
});

describe('a reminder', () => {
  test('to oneself arrives unread from the notification bot', async () => {
    const person = await makePerson();
    await defer(person, { type: 'direct', to: [person.id], delivery_type: 'remind' });
    await deliver(person);
    expect(await privateMessages(person)).toMatchObject([
      { sender_full_name: 'Notification Bot', content: 'hello', client: 'Internal', flags: [] },
    ]);
  });

  test.each(['stream', 'channel'])(
    'to a %s names the requester and mentions the recipients',
    async (type) => {
      const { bob, cat } = all;
      await defer(bob, { type, to: 'secret', topic: type, delivery_type: 'remind' });
      await deliver(bob);
      const narrow = [
        ['stream', 'secret'],
        ['topic', type],
      ];
      expect((await fetchMessages(bob, { narrow })).messages).toMatchObject([
        {
          sender_full_name: 'Notification Bot',
          content: `@**Bob Ray|${bob.id}** asked for this reminder:\n\nhello`,
          flags: ['mentioned'],
        },
      ]);
      expect((await fetchMessages(cat, { narrow: [['topic', type]] })).messages).toEqual([]);
    },
  );

  test("gives its recipients the requester's files", async () => {
    const { bob, pool } = all;
    const { uri } = await bob.typed.request('POST /user_uploads', {
      file: new File(['high water'], 'tide.txt'),
    });
    await defer(bob, { content: `[tide](${uri})`, delivery_type: 'remind' });
    await deliver(bob);
    const { rows } = await pool.query<{ given: number }>({
      text: 'SELECT count(*)::int AS given FROM message_uploads WHERE $1 LIKE $2 || path_id',
      values: [uri, '%/'],
    });
    expect(rows).toEqual([{ given: 1 }]);
  });

  test('has no widget, which would hide the requester', async () => {
    const reminder = {
      delivery_type: 'remind',
      widget_content: {
        widget_type: 'zform',
        extra_data: { type: 'choices', heading: 'x', choices: [] },
      },
    };
    expect(await refusalOf(defer(all.bob, reminder))).toMatchObject({
      status: 400,
      msg: 'Widgets: a reminder has none',
    });
  });

  test('is not sent if the requester may not send there any more, even if the bot may', async () => {
    const person = await makePerson();
    const { id } = await all.organization.makeStream('left', [person, all.cat], {
      inviteOnly: true,
    });
    await defer(person, { to: 'left', delivery_type: 'remind' });
    await all.pool.query({
      text: 'UPDATE subscriptions SET is_active = false WHERE user_id = $1',
      values: [person.id],
    });
    await deliver(person);
    expect((await fetchMessages(all.cat, { narrow: [['stream', 'left']] })).messages).toEqual([]);
    expect(await privateMessages(person)).toMatchObject([
      {
        content: notSent(
          'Your message in the topic `lunch`',
          `Stream with ID '${id}' does not exist`,
        ),
      },
    ]);
  });
});

describe('refused when due', () => {
  test('a stream that no longer exists: the sender gets a notice with the content', async () => {
    const person = await makePerson();
    const { id } = await all.organization.makeStream('doomed', [person]);
    await defer(person, { to: 'doomed', content: 'a ``` b' });
    await changeStream(id, 'is_deactivated = true');
    await deliver(person);
    expect(await sentBy(person)).toEqual([]);
    expect(await privateMessages(person)).toMatchObject([
      {
        sender_full_name: 'Notification Bot',
        content: notSent(
          'Your message in the topic `lunch`',
          `Stream with ID '${id}' does not exist`,
          '````\na ``` b\n````',
        ),
        flags: [],
      },
    ]);
  });

  test('a recipient who was deactivated', async () => {
    const [person, other] = [await makePerson(), await makePerson()];
    await defer(person, { type: 'private', to: [other.id] });
    await setActive(other, false);
    await deliver(person);
    expect(await sentBy(person)).toEqual([]);
    expect(await privateMessages(person)).toMatchObject([
      {
        content: notSent('Your private message', `'${other.email}' is no longer using Parley.`),
      },
    ]);
  });

  test('a deactivated sender: nothing is sent and there is no notice', async () => {
    const person = await makePerson();
    await defer(person);
    await defer(person, { type: 'private', to: [person.id], delivery_type: 'remind' });
    await setActive(person, false);
    await deliver(person);
    expect(await sentBy(person)).toEqual([]);
    await setActive(person, true);
    expect(await privateMessages(person)).toEqual([]);
  });

  test('a bot: its owner gets the notice', async () => {
    const owner = await makePerson();
    const bot = await all.organization.makeAccount('Late Bot', { owner, botType: 1 });
    const { id } = await all.organization.makeStream('announcements', [owner]);
    await defer(bot, { to: 'announcements' });
    await changeStream(id, 'is_announcement_only = true');
    await deliver(bot);
    expect(await sentBy(bot)).toEqual([]);
    expect(await privateMessages(owner)).toMatchObject([
      {
        content: notSent(
          'For your bot `late.bot@example.com` a message in the topic `lunch`',
          'Only organization administrators can send to this stream.',
        ),
      },
    ]);
  });
});

describe('repeated', () => {
  const keyed = async (
    account: TestAccount,
    key: string,
    change: Parameters = {},
  ): Promise<unknown> => {
    const headers = { 'idempotency-key': key };
    const answer = await account.client.post('messages', { ...later, ...change }, { headers });
    return answer['deliver_at'];
  };

  test('with one key, many times at once, is stored once', async () => {
    const person = await makePerson();
    const outcomes = await together(
      person,
      Array.from({ length: 6 }, () => async () => keyed(person, 'at once')),
    );
    expect(outcomes).toEqual(
      Array.from({ length: 6 }, () => ({ status: 'fulfilled', value: farAhead })),
    );
    expect(await countWaiting(person)).toBe(1);
    expect(await refusalOf(keyed(person, 'at once', { content: 'other' }))).toMatchObject({
      status: 409,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(
      await refusalOf(keyed(person, 'at once', { deliver_at: '2999-07-02T12:00:00+02:00' })),
    ).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('after its delivery gets the same answer, even if it would be refused by now', async () => {
    const person = await makePerson();
    const time = new Date(all.cluster.settings.clock.nowMs() + 1_000).toISOString();
    const first = await keyed(person, 'delivered', { deliver_at: time });
    await all.cluster.advance(1_000);
    expect(await sentBy(person)).toEqual(['hello']);
    expect(await keyed(person, 'delivered', { deliver_at: time })).toBe(first);
    expect(await refusalOf(defer(person, { deliver_at: time }))).toMatchObject({
      msg: 'Time must be in the future.',
    });
    expect(await countWaiting(person)).toBe(0);
    expect(await sentBy(person)).toEqual(['hello']);
  });

  test('with one local id is stored once; without a key twice', async () => {
    const person = await makePerson();
    const local = { queue_id: 'a queue', local_id: '17.01' };
    for (let n = 0; n < 3; n += 1) await defer(person, local);
    expect(await countWaiting(person)).toBe(1);
    await defer(person);
    await defer(person);
    expect(await countWaiting(person)).toBe(3);
  });

  test('a key for an immediate send and one for a scheduled send are separate', async () => {
    const person = await makePerson();
    await keyed(person, 'both');
    await keyed(person, 'both', { delivery_type: 'send_now', content: 'now' });
    await deliver(person);
    expect(await sentBy(person)).toEqual(['now', 'hello']);
  });
});
