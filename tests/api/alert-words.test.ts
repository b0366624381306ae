/** Alert words and the pointer through the gateway, on two replicas that match the words. */
import type { TestAccount } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import { expectRefusal, success } from './refusals.ts';

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat } = all;
  await organization.makeStream('Denmark', [ann, bob, cat]);
});
beforeEach(async () => {
  await all.pool.query({ text: 'TRUNCATE alert_words' });
});

const path = 'users/me/alert_words';

async function add(account: TestAccount, ...words: unknown[]): Promise<unknown> {
  return (await account.client.post(path, { alert_words: words }))['alert_words'];
}

async function remove(account: TestAccount, ...words: string[]): Promise<unknown> {
  return (await account.client.delete(path, { alert_words: words }))['alert_words'];
}

/** Sends a text so often that both replicas take part, because the gateway uses them in turn. */
function sendOften(text: string): Promise<number[]> {
  return Promise.all([1, 2, 3, 4].map(() => all.ann.client.sendToStream('Denmark', 'x', text)));
}

async function flagsOf(account: TestAccount, id: number): Promise<unknown> {
  return (await fetchMessages(account, { anchor: id, num_before: 0 })).messages[0]?.flags;
}

describe('users/me/alert_words', () => {
  test('trims words, leaves out blank and existing ones, and keeps the order of addition', async () => {
    const { ann, bob } = all;
    expect(await add(ann, ' deploy ', '', '  ', 'Ann', 'deploy')).toEqual(['deploy', 'Ann']);
    expect(await add(ann, 'ann', 'Ann', 'a b')).toEqual(['deploy', 'Ann', 'ann', 'a b']);
    expect(await ann.client.get(path)).toEqual({
      result: 'success',
      msg: '',
      alert_words: ['deploy', 'Ann', 'ann', 'a b'],
    });
    expect(await remove(ann, 'deploy ', 'ANN', 'nothing')).toHaveLength(4);
    expect(await remove(ann, 'deploy', 'ann')).toEqual(['Ann', 'a b']);
    expect(await bob.client.get(path)).toMatchObject({ alert_words: [] });
    const state = await ann.client.post('register', { fetch_event_types: ['alert_words'] });
    expect(state['alert_words']).toEqual(['Ann', 'a b']);
  });

  test('refuses invalid lists', async () => {
    const { ann } = all;
    await expectRefusal(
      add(ann, 'a', '😀'.repeat(101)),
      'alert_words[1] is too long (limit: 100 characters)',
    );
    const words = (count: number): string[] => Array.from({ length: count }, (_, n) => `w${n}`);
    const tooMany = 'alert_words is too long (limit: 1000 items)';
    await expectRefusal(add(ann, ...words(1_001)), tooMany);
    expect(await add(ann, '😀'.repeat(100), '\ud800')).toEqual(['😀'.repeat(100), '\ufffd']);
    await add(ann, ...words(998));
    await expectRefusal(add(ann, 'one more'), tooMany);
    expect(await add(ann, 'w1')).toHaveLength(1_000);
  });

  test('guests and bots have their own words', async () => {
    expect(await add(all.guest, 'guest')).toEqual(['guest']);
    expect(await add(all.bot, 'bot')).toEqual(['bot']);
  });

  test('every replica matches a word from the first send after its addition until its removal', async () => {
    const { ann, bob } = all;
    for (let round = 0; round < 4; round += 1) {
      await add(bob, 'Grød');
      const flagged = await sendOften('some grød, please');
      for (const id of flagged) {
        expect(await flagsOf(bob, id)).toEqual(['has_alert_word']);
        expect(await flagsOf(ann, id)).toEqual([]);
      }
      await remove(bob, 'Grød');
      const id = await ann.client.sendToStream('Denmark', 'x', 'some grød, please');
      expect(await flagsOf(bob, id)).toEqual([]);
    }
  });

  test('only the owner of a word gets the flag in the event of a message', async () => {
    const { ann, bob, cat } = all;
    await add(bob, 'Herring');
    const open = (account: TestAccount): Promise<FollowedQueue> =>
      FollowedQueue.open(account.client, { event_types: ['message'] });
    const queues = [await open(bob), await open(cat)];
    await ann.client.sendToStream('Denmark', 'x', 'herring!');
    await ann.client.sendPrivately([bob.email, cat.email], '"herring", herrings, herring-like');
    const [bobs, cats] = await Promise.all(queues.map((queue) => queue.next(2)));
    // With a double quote after a word, or a letter or hyphen beside it, there is no match.
    expect(bobs?.map((event) => event['flags'])).toEqual([['has_alert_word'], []]);
    expect(cats?.map((event) => event['flags'])).toEqual([[], []]);
  });

  test('notices a replaced word even if both were added at the same time', async () => {
    const { ann, bob, pool } = all;
    const insert = (word: string): Promise<unknown> =>
      pool.query({
        text: `INSERT INTO alert_words (user_id, word, added_at) VALUES ($1, $2, '2020-01-01')`,
        values: [bob.id, word],
      });
    await insert('first');
    await sendOften('x');
    await pool.query({ text: 'DELETE FROM alert_words' });
    await insert('second');
    const ids = await sendOften('first and second');
    await pool.query({ text: `UPDATE alert_words SET word = 'third'` });
    const late = await ann.client.sendToStream('Denmark', 'x', 'second');
    for (const id of ids) expect(await flagsOf(bob, id)).toEqual(['has_alert_word']);
    expect(await flagsOf(bob, late)).toEqual([]);
  });

  test('the words of a reactivated account still match', async () => {
    const { cat, pool } = all;
    await add(cat, 'return');
    const setActive = (isActive: boolean): Promise<unknown> =>
      pool.query({
        text: 'UPDATE users SET is_active = $2 WHERE id = $1',
        values: [cat.id, isActive],
      });
    await setActive(false);
    await sendOften('while away');
    await setActive(true);
    const ids = await sendOften('many happy return');
    for (const id of ids) expect(await flagsOf(cat, id)).toEqual(['has_alert_word']);
  });
});

describe('users/me/pointer', () => {
  const pointer = 'users/me/pointer';

  test('moves forward to messages that the account holds, with an event, and back without an event', async () => {
    const { ann, bob } = all;
    expect(await bob.client.get(pointer)).toEqual({ result: 'success', msg: '', pointer: -1 });
    const ids = [
      await ann.client.sendToStream('Denmark', 'x', 'one'),
      await ann.client.sendToStream('Denmark', 'x', 'two'),
      await ann.client.sendPrivately([bob.email], 'three'),
    ];
    const [first = 0, second = 0, third = 0] = ids;
    const queue = await FollowedQueue.open(bob.client);
    expect(await bob.client.post(pointer, { pointer: second })).toEqual(success);
    expect(await bob.client.post(pointer, { pointer: first })).toEqual(success);
    expect(await bob.client.post(pointer, { pointer: 0 })).toEqual(success);
    expect((await bob.client.get(pointer))['pointer']).toBe(second);
    expect(await bob.client.call('PUT', pointer, { pointer: ` +${third}` })).toEqual(success);
    expect((await bob.client.post('register', { fetch_event_types: ['pointer'] }))['pointer']).toBe(
      third,
    );
    expect(await queue.next(2)).toEqual([
      { type: 'pointer', pointer: second },
      { type: 'pointer', pointer: third },
    ]);
    // Messages before the pointer are as unread as before.
    expect(await flagsOf(bob, first)).toEqual([]);
    expect(await flagsOf(bob, third)).toEqual([]);
  });

  test('refuses messages that the account does not hold, missing messages and invalid numbers', async () => {
    const { ann, bob, guest } = all;
    const foreign = await ann.client.sendPrivately([bob.email], 'not for the guest');
    const stream = await ann.client.sendToStream('Denmark', 'x', 'not his either');
    for (const method of ['POST', 'PUT'] as const) {
      const move = (value: unknown): Promise<unknown> =>
        guest.client.call(method, pointer, { pointer: value });
      for (const id of [foreign, stream, 1_000_000_000, 4_294_967_295])
        await expectRefusal(move(id), 'Invalid message ID');
    }
    expect((await guest.client.get(pointer))['pointer']).toBe(-1);
  });
});

test('a deactivated account changes nothing, even if a gateway still accepts its key', async () => {
  const { organization, pool } = all;
  const gone = await organization.makeAccount('Late Leo', { email: 'late@example.com' });
  await add(gone, 'kept');
  await pool.query('UPDATE users SET is_active = false WHERE id = $1', [gone.id]);
  const refused = { status: 401, result: 'error', msg: 'Account is deactivated' };
  await expectRefusal(add(gone, 'new'), refused);
  await expectRefusal(remove(gone, 'kept'), refused);
  await expectRefusal(gone.client.post('users/me/pointer', { pointer: 1 }), refused);
  const { rows } = await pool.query({ text: 'SELECT word FROM alert_words' });
  expect(rows).toEqual([{ word: 'kept' }]);
});
