/** Fetching, narrows and muting, by the checklist of the reference facts (messages 22). */
import type { TestAccount } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';

const newest = 10_000_000_000_000_000;

/** Bob receives these, in this order. */
let lunch: number;
let dinner: number;
let noise: number;
let pair: number;
let group: number;
let loud: number;
let quiet: number;
const streamIds = new Map<string, number>();

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat } = all;
  for (const name of ['Denmark', 'loud']) {
    streamIds.set(name, (await organization.makeStream(name, [ann, bob])).id);
  }
  lunch = await ann.client.sendToStream('Denmark', 'Lunch', 'one');
  dinner = await ann.client.sendToStream('Denmark', 'dinner', 'two');
  noise = await ann.client.sendToStream('Denmark', 'lunch noise', 'three @**all**');
  pair = await ann.client.sendPrivately([bob.email], 'four');
  group = await ann.client.sendPrivately([bob.email, cat.email], 'five @**Bob Ray**');
  loud = await ann.client.sendToStream('loud', 'lunch', 'six');
  quiet = await ann.client.sendToStream('loud', 'quiet', 'seven');
});

const messageIds = (): number[] => [lunch, dinner, noise, pair, group, loud, quiet];

async function mute(account: TestAccount, stream: string, topic: string): Promise<void> {
  await account.client.patch('users/me/subscriptions/muted_topics', { stream, topic, op: 'add' });
}

async function muteStream(account: TestAccount, stream: string): Promise<void> {
  await account.client.post('users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: streamIds.get(stream), property: 'is_muted', value: true }],
  });
}

beforeEach(async () => {
  const { pool, bob } = all;
  await pool.query({ text: 'TRUNCATE muted_topics' });
  await pool.query({ text: 'UPDATE subscriptions SET is_muted = false' });
  await pool.query({ text: 'UPDATE users SET pointer = -1' });
  await bob.client.flag(messageIds(), 'read', 'remove');
});

type Narrow = readonly unknown[];

async function narrowed(account: TestAccount, ...narrow: Narrow): Promise<readonly number[]> {
  return (await fetchMessages(account, { narrow })).ids;
}

describe('the first unread message', () => {
  const fetchUnread = (narrow: Narrow = []): ReturnType<typeof fetchMessages> =>
    fetchMessages(all.bob, {
      anchor: undefined,
      use_first_unread_anchor: true,
      num_before: 0,
      num_after: 20,
      narrow,
    });
  const anchorOf = async (narrow?: Narrow): Promise<unknown> =>
    (await fetchUnread(narrow)).body['anchor'];
  const read = (...messages: number[]): Promise<unknown> => all.bob.client.flag(messages, 'read');

  test('skips muted topics, which the list still contains', async () => {
    const { bob } = all;
    expect(await anchorOf()).toBe(lunch);
    await mute(bob, 'Denmark', 'LUNCH');
    await mute(bob, 'Denmark', 'Dinner');
    const { body, ids } = await fetchUnread();
    expect(body['anchor']).toBe(noise);
    expect(ids).toEqual([noise, pair, group, loud, quiet]);
    // A page around the anchor includes the messages that it skipped.
    const around = await fetchMessages(bob, {
      anchor: 'first_unread',
      num_before: 5,
      num_after: 0,
    });
    expect(around.ids).toEqual([lunch, dinner, noise]);
    expect(await anchorOf([['stream', 'Denmark']])).toBe(noise);
    // The same topic of another stream is not muted.
    expect(await anchorOf([['stream', 'loud']])).toBe(loud);
    await bob.client.patch('users/me/subscriptions/muted_topics', {
      stream: 'denmark',
      topic: 'lunch',
      op: 'remove',
    });
    expect(await anchorOf()).toBe(lunch);
  });

  test('skips muted streams, unless the narrow names a stream', async () => {
    const { bob } = all;
    await muteStream(bob, 'Denmark');
    expect(await anchorOf()).toBe(pair);
    expect((await fetchUnread()).ids).toEqual([pair, group, loud, quiet]);
    expect(await anchorOf([['stream', 'Denmark']])).toBe(lunch);
    expect(await anchorOf([['topic', 'dinner']])).toBe(newest);
    expect(
      await anchorOf([
        ['stream', 'Denmark'],
        ['topic', 'dinner'],
      ]),
    ).toBe(dinner);
    await read(pair, group);
    await muteStream(bob, 'loud');
    const { body, ids } = await fetchUnread();
    expect(body['anchor']).toBe(newest);
    expect(ids).toEqual([]);
    expect(
      (await fetchMessages(bob, { anchor: 'first_unread', num_before: 2, num_after: 0 })).ids,
    ).toEqual([loud, quiet]);
  });

  test('is not before the pointer if there is no narrow', async () => {
    const { bob } = all;
    await bob.client.post('users/me/pointer', { pointer: dinner });
    expect(await anchorOf()).toBe(dinner);
    expect(await anchorOf([['stream', 'Denmark']])).toBe(lunch);
  });
});

describe('narrows', () => {
  test('pairs and objects are equivalent and may be mixed', async () => {
    const { bob } = all;
    const stream = { operator: 'stream', operand: 'Denmark' };
    const topic = { operator: 'topic', operand: 'lunch', negated: false, other: 1 };
    const forms: Narrow[] = [
      [
        ['stream', 'Denmark'],
        ['topic', 'lunch'],
      ],
      [stream, topic],
      [['stream', 'Denmark'], topic],
      [stream, ['topic', 'lunch']],
      [{ ...stream, operand: streamIds.get('Denmark') }, ['subject', 'lunch']],
      [['channel', 'Denmark'], topic],
    ];
    for (const form of forms) expect(await narrowed(bob, ...form)).toEqual([lunch]);
    expect(await narrowed(bob)).toEqual(messageIds());
  });

  test('a topic matches as a whole, in any letter case, in every stream', async () => {
    const { bob } = all;
    expect(await narrowed(bob, ['topic', 'lunch'])).toEqual([lunch, loud]);
    expect(await narrowed(bob, ['topic', 'LUNCH NOISE'])).toEqual([noise]);
    for (const topic of ['lun', 'noise', ' lunch', 'lunch ', '', '%', 'lunc_']) {
      expect(await narrowed(bob, ['topic', topic])).toEqual([]);
    }
  });

  test('pm-with accepts addresses or ids, with or without the caller', async () => {
    const { ann, bob, cat } = all;
    const withPeople = (operand: unknown): Promise<readonly number[]> =>
      narrowed(bob, { operator: 'pm-with', operand });
    for (const operand of [
      'ann@example.com',
      'ANN@example.com, bob@example.com',
      'bob@example.com,ann@example.com',
      [ann.id],
      [bob.id, ann.id],
    ]) {
      expect(await withPeople(operand)).toEqual([pair]);
    }
    for (const operand of [
      'cat@example.com, ann@example.com',
      'ann@example.com,bob@example.com,cat@example.com',
      [cat.id, ann.id],
    ]) {
      expect(await withPeople(operand)).toEqual([group]);
    }
    expect(await withPeople('bob@example.com')).toEqual([]);
    expect(await narrowed(bob, ['dm', 'ann@example.com'])).toEqual([pair]);
  });

  test('group-pm-with finds conversations of at least three people', async () => {
    const { ann, bob, cat, guest } = all;
    expect(await narrowed(bob, ['group-pm-with', ann.email])).toEqual([group]);
    expect(await narrowed(bob, { operator: 'group-pm-with', operand: cat.id })).toEqual([group]);
    expect(await narrowed(bob, ['group-pm-with', guest.email])).toEqual([]);
  });

  test('is:mentioned includes mentions by name and wildcards', async () => {
    const { ann, bob, cat } = all;
    expect(await narrowed(bob, ['is', 'mentioned'])).toEqual([noise, group]);
    expect(await narrowed(ann, ['is', 'mentioned'])).toEqual([noise]);
    expect(await narrowed(cat, ['is', 'mentioned'])).toEqual([]);
    expect(await narrowed(bob, { operator: 'is', operand: 'mentioned', negated: true })).toEqual([
      lunch,
      dinner,
      pair,
      loud,
      quiet,
    ]);
  });

  test("is:alerted finds messages with the caller's alert words", async () => {
    const { ann, bob } = all;
    await bob.client.post('users/me/alert_words', { alert_words: ['herring'] });
    const id = await ann.client.sendPrivately([bob.email], 'pickled herring');
    await bob.client.delete('users/me/alert_words', { alert_words: ['herring'] });
    expect(await narrowed(bob, ['is', 'alerted'])).toEqual([id]);
    expect(await narrowed(ann, ['is', 'alerted'])).toEqual([]);
    await all.pool.query('DELETE FROM messages WHERE id = $1', [id]);
  });

  test('in:home excludes muted streams and topics; in:all and near have no effect', async () => {
    const { bob } = all;
    expect(await narrowed(bob, ['in', 'home'])).toEqual(messageIds());
    await mute(bob, 'Denmark', 'lunch');
    expect(await narrowed(bob, ['in', 'home'])).toEqual([dinner, noise, pair, group, loud, quiet]);
    await muteStream(bob, 'loud');
    const shown = [dinner, noise, pair, group];
    expect(await narrowed(bob, ['in', 'home'])).toEqual(shown);
    expect(await narrowed(bob, { operator: 'in', operand: 'home', negated: true })).toEqual(shown);
    for (const term of [
      ['in', 'all'],
      ['near', String(pair)],
      { operator: 'near', operand: pair },
    ]) {
      expect(await narrowed(bob, term)).toEqual(messageIds());
    }
    // Others have their own mutes.
    expect(await narrowed(all.ann, ['in', 'home'])).toEqual(messageIds());
  });

  test('id finds one visible message', async () => {
    const { bob, cat } = all;
    expect(await narrowed(bob, ['id', String(pair)])).toEqual([pair]);
    expect(await narrowed(bob, { operator: 'id', operand: pair })).toEqual([pair]);
    expect(await narrowed(cat, ['id', String(pair)])).toEqual([]);
    expect(await narrowed(bob, { operator: 'id', operand: String(pair), negated: true })).toEqual(
      messageIds().filter((id) => id !== pair),
    );
  });
});
