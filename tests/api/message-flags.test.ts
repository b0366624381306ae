import { markRead } from '@parley/store';
import { beforeAll, describe, expect, test } from 'vitest';

import { meetTransaction } from '../support/held-transaction.ts';
import { listWith } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, newestEntry, startMessageFixture } from './message-fixture.ts';
import { expectRefusal } from './refusals.ts';

let streamId: number;
let first: number;
let second: number;
let dinner: number;
let pair: number;
let hidden: number;

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat } = all;
  streamId = (await organization.makeStream('Denmark', [ann, bob])).id;
  await organization.makeStream('secret', [cat], { inviteOnly: true });
  first = await ann.client.sendToStream('Denmark', 'lunch', 'one');
  second = await ann.client.sendToStream('Denmark', 'lunch', 'two');
  dinner = await ann.client.sendToStream('Denmark', 'dinner', 'three');
  pair = await ann.client.sendPrivately([bob.email], 'hi');
  hidden = await cat.client.sendToStream('secret', 'x', 'x');
});

type Change = { messages: unknown; op?: string; flag?: string };
const change = (
  who: 'bob' | 'cat',
  { messages, op = 'add', flag = 'read' }: Change,
): Promise<Readonly<Record<string, unknown>>> =>
  all[who].client.post('messages/flags', { messages, op, flag });

async function flagsOf(who: 'ann' | 'bob' | 'cat', id: number): Promise<unknown> {
  return (
    await fetchMessages(all[who], { anchor: id, num_before: 0, narrow: [['stream', 'Denmark']] })
  ).messages[0]?.flags;
}

/** The flag event in the newest entry, which is for one person only. */
async function newestEvent(): Promise<unknown> {
  const entry = await newestEntry(all.pool);
  if (entry.kind !== 'change') throw new Error('the newest entry is no change');
  expect(entry.events).toHaveLength(1);
  const [part] = entry.events;
  if (part?.form !== 'same') throw new Error('the change has no event');
  return { ...part.event, audience: part.audience };
}

const toBob = (): unknown => ({ to: 'users', userIds: [all.bob.id] });

describe('messages/flags', () => {
  test('returns and announces the changed ids, and a repeat changes nothing', async () => {
    for (let time = 0; time < 2; time += 1) {
      expect(
        await change('bob', {
          messages: [second, hidden, first, 999_999, second],
          flag: 'starred',
        }),
      ).toEqual({
        result: 'success',
        msg: '',
        messages: [second, first],
      });
      expect(await newestEvent()).toEqual({
        type: 'update_message_flags',
        operation: 'add',
        op: 'add',
        flag: 'starred',
        messages: [second, first],
        all: false,
        audience: toBob(),
      });
    }
    expect(await flagsOf('bob', first)).toEqual(['starred']);
    expect(await flagsOf('ann', first)).toEqual([]);
    await change('bob', { messages: [second, first], op: 'remove', flag: 'starred' });
    expect(await flagsOf('bob', first)).toEqual([]);
  });

  test('messages that are read out of order leave those between them unread', async () => {
    const ids: number[] = [];
    for (const text of ['a', 'b', 'c'])
      ids.push(await all.ann.client.sendToStream('Denmark', 'order', text));
    const [a = 0, b = 0, c = 0] = ids;
    const unread = async (): Promise<readonly number[]> =>
      (
        await fetchMessages(all.bob, {
          narrow: [
            ['topic', 'order'],
            ['is', 'unread'],
          ],
        })
      ).ids;
    await change('bob', { messages: [a] });
    await change('bob', { messages: [c] });
    expect(await unread()).toEqual([b]);
    await change('bob', { messages: [b] });
    expect(await unread()).toEqual([]);
    await change('bob', { messages: [a], op: 'remove' });
    expect(await unread()).toEqual([a]);
    await change('bob', { messages: [a] });
  });

  test('changes of the read state of one person wait for one another', async () => {
    await change('bob', { messages: [first, second], op: 'remove' });
    await meetTransaction(
      all.pool,
      (client) => markRead(client, all.bob.id, [first]),
      () => change('bob', { messages: [second] }),
    );
    expect(await flagsOf('bob', first)).toEqual(['read']);
    expect(await flagsOf('bob', second)).toEqual(['read']);
  });

  test('the caller sets and clears every flag of the contract', async () => {
    const flags = [
      'read',
      'starred',
      'collapsed',
      'mentioned',
      'wildcard_mentioned',
      'summarize_in_home',
      'summarize_in_stream',
      'force_expand',
      'force_collapse',
      'has_alert_word',
      'historical',
    ];
    for (const flag of flags) await change('bob', { messages: [first], flag });
    expect(await flagsOf('bob', first)).toEqual(flags);
    for (const flag of flags) await change('bob', { messages: [first], op: 'remove', flag });
    expect(await flagsOf('bob', first)).toEqual([]);
    const mention = await all.ann.client.sendToStream('Denmark', 'lunch', '@**all** @**Bob Ray**');
    for (const flag of ['mentioned', 'wildcard_mentioned'])
      await change('bob', { messages: [mention], op: 'remove', flag });
    expect(await flagsOf('bob', mention)).toEqual([]);
    expect(await flagsOf('ann', mention)).toEqual(['wildcard_mentioned']);
  });

  test('a star on a visible message makes a permanent holder, as read and historical', async () => {
    expect(await flagsOf('cat', first)).toEqual(['read', 'historical']);
    expect((await fetchMessages(all.cat)).ids).not.toContain(first);
    expect(await change('cat', { messages: [first], flag: 'starred' })).toMatchObject({
      messages: [first],
    });
    expect(await flagsOf('cat', first)).toEqual(['read', 'starred', 'historical']);
    await change('cat', { messages: [first], op: 'remove', flag: 'starred' });
    expect((await fetchMessages(all.cat)).ids).toContain(first);
  });

  test('a holder by star or reaction has no mention or alert flag', async () => {
    const { ann, bob, cat } = all;
    await cat.client.post('users/me/alert_words', { alert_words: ['herring'] });
    const text = '@**all** @**Cat Moe** herring';
    const starred = await ann.client.sendToStream('Denmark', 'lunch', text);
    const reactedTo = await ann.client.sendToStream('Denmark', 'lunch', text);
    expect(await flagsOf('bob', starred)).toEqual(['wildcard_mentioned']);
    await change('cat', { messages: [starred], flag: 'starred' });
    await cat.client.post(`messages/${reactedTo}/reactions`, { emoji_name: 'octopus' });
    expect(await flagsOf('cat', starred)).toEqual(['read', 'starred', 'historical']);
    expect(await flagsOf('cat', reactedTo)).toEqual(['read', 'historical']);
    for (const is of ['mentioned', 'alerted'])
      expect((await fetchMessages(cat, { narrow: [['is', is]] })).ids).toEqual([]);
    expect((await fetchMessages(bob, { narrow: [['is', 'mentioned']] })).ids).toContain(starred);
    await change('cat', { messages: [starred, reactedTo], op: 'remove' });
    expect(await flagsOf('cat', reactedTo)).toEqual(['historical']);
    await change('cat', { messages: [reactedTo], flag: 'mentioned' });
    expect((await fetchMessages(cat, { narrow: [['is', 'mentioned']] })).ids).toEqual([reactedTo]);
  });

  test('a bot that holds no messages gets no event for its star', async () => {
    const bot = await all.organization.makeAccount('Outgoing', { botType: 3, owner: all.bob });
    const star = { messages: [first], op: 'add', flag: 'starred' };
    await expectRefusal(bot.client.post('messages/flags', star), 'Invalid message(s)');
  });

  const none = 'Invalid message(s)';
  test.each<[string, () => Change, string]>([
    ['an unknown flag', () => ({ messages: [first], flag: 'foo' }), "Invalid flag: 'foo'"],
    [
      'an internal flag',
      () => ({ messages: [first], flag: 'is_private' }),
      "Invalid flag: 'is_private'",
    ],
    [
      'an unknown operation',
      () => ({ messages: [first], op: 'toggle' }),
      "Invalid operation: 'toggle'",
    ],
    ['no message', () => ({ messages: [] }), none],
    ['what one does not hold', () => ({ messages: [second], flag: 'read' }), none],
    [
      'two stars on what one does not hold',
      () => ({ messages: [second, dinner], flag: 'starred' }),
      none,
    ],
    ['a star on what one may not see', () => ({ messages: [pair], flag: 'starred' }), none],
    ['a star on nothing', () => ({ messages: [2 ** 52], flag: 'starred' }), none],
    ['a text as id', () => ({ messages: ['a'] }), 'messages[0] is not an integer'],
  ])('%s is refused', async (_name, make, msg) => {
    await expectRefusal(change('cat', make()), msg);
  });
});

describe('marking in bulk', () => {
  const unread = async (): Promise<readonly number[]> =>
    (await fetchMessages(all.bob, { narrow: [['is', 'unread']] })).ids;
  const reset = async (): Promise<void> => {
    await change('bob', { messages: [first, second, dinner, pair], op: 'remove' });
    expect(await unread()).toEqual(expect.arrayContaining([first, second, dinner, pair]));
  };

  test('a topic, in any letter case', async () => {
    await reset();
    const before = await unread();
    expect(
      await all.bob.client.post('mark_topic_as_read', { stream_id: streamId, topic_name: 'LUNCH' }),
    ).toEqual({ result: 'success', msg: '' });
    const after = await unread();
    expect(after).toEqual(before.filter((id) => after.includes(id)));
    expect(after).toEqual(expect.arrayContaining([dinner, pair]));
    expect(after).not.toContain(first);
    expect(await newestEvent()).toEqual({
      type: 'update_message_flags',
      operation: 'add',
      op: 'add',
      flag: 'read',
      messages: before.filter((id) => !after.includes(id)),
      all: false,
      audience: toBob(),
    });
    // There is nothing left to mark, but the event is still sent.
    await all.bob.client.post('mark_topic_as_read', { stream_id: streamId, topic_name: 'lunch' });
    expect(await newestEvent()).toMatchObject({ messages: [] });
  });

  test('a stream, by its own endpoint or an empty topic', async () => {
    for (const mark of [
      () => all.bob.client.post('mark_stream_as_read', { stream_id: streamId }),
      () => all.bob.client.post('mark_topic_as_read', { stream_id: streamId, topic_name: '' }),
    ]) {
      await reset();
      await mark();
      expect(await unread()).toEqual([pair]);
      expect(await newestEvent()).toMatchObject({
        messages: listWith(first, second, dinner),
        all: false,
      });
    }
  });

  test('everything', async () => {
    await all.bob.client.post('mark_all_as_read');
    await reset();
    await all.bob.client.post('mark_all_as_read');
    expect(await unread()).toEqual([]);
    expect(await newestEvent()).toMatchObject({
      flag: 'read',
      operation: 'add',
      messages: [],
      all: true,
      audience: toBob(),
    });
    const later = await all.ann.client.sendToStream('Denmark', 'lunch', 'later');
    expect(await unread()).toEqual([later]);
  });

  test('a topic without messages is refused', async () => {
    await expectRefusal(
      all.bob.client.post('mark_topic_as_read', { stream_id: streamId, topic_name: 'nope' }),
      "No such topic 'nope'",
    );
  });
});
