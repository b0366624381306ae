import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';

const newest = 10_000_000_000_000_000;

let all: MessageFixture;
/** Ten messages in Denmark, none of which Cat received, and some elsewhere. */
let denmark: number[];
let secret: number;
let pair: number;
let group: number;

beforeAll(async () => {
  all = await startMessageFixture({ subscriptions: 1 });
  const { organization, ann, bob, cat, guest } = all;
  await organization.makeStream('Denmark', [ann, bob]);
  await organization.makeStream('secret', [bob], { inviteOnly: true });
  denmark = [];
  for (let n = 0; n < 10; n += 1) {
    const sender = n % 2 === 0 ? ann : bob;
    denmark.push(
      await sender.client.sendToStream(
        'Denmark',
        n < 6 ? 'lunch' : 'Dinner',
        `message ${n} https://example.com`,
      ),
    );
  }
  secret = await bob.client.sendToStream('secret', 'lunch', 'hidden');
  pair = await ann.client.sendPrivately([cat.email], 'for Cat');
  group = await ann.client.sendPrivately([cat.email, guest.email], 'for both');
});
afterAll(() => all.stop());

describe('anchors and counts', () => {
  const around = async (
    anchor: number | string,
    before: number,
    after: number,
  ): Promise<Record<string, unknown>> => {
    const { ids, body } = await fetchMessages(all.bob, {
      anchor,
      num_before: before,
      num_after: after,
      narrow: [['stream', 'Denmark']],
    });
    const { anchor: used, found_anchor, found_oldest, found_newest, history_limited } = body;
    return { ids, used, found: [found_anchor, found_oldest, found_newest], history_limited };
  };
  const ids = (from: number, to?: number): number[] => denmark.slice(from, to);

  test('the anchor message is counted in neither direction', async () => {
    const [anchor = 0] = ids(5);
    expect(await around(anchor, 2, 2)).toEqual({
      ids: ids(3, 8),
      used: anchor,
      found: [true, false, false],
      history_limited: false,
    });
    expect(await around(anchor, 0, 0)).toMatchObject({
      ids: [anchor],
      found: [true, false, false],
    });
    expect(await around(anchor, 6, 5)).toMatchObject({ ids: denmark, found: [true, true, true] });
    expect(await around(anchor, 5, 4)).toMatchObject({ ids: denmark, found: [true, false, false] });
  });

  test('the answer repeats the anchor, however large', async () => {
    for (const [sent, answered = sent] of [
      ['9007199254740991'],
      ['9007199254740993'],
      ['-9007199254740993'],
      [' +9007199254740993 ', '9007199254740993'],
      ['10000000000000001'],
      ['123456789012345678901234567890'],
      ['-0', '0'],
    ]) {
      const { text } = await all.ann.client.withoutChecks('GET', 'messages', {
        anchor: sent,
        num_before: 2,
        num_after: 2,
        narrow: [['stream', 'Denmark']],
      });
      expect(text).toContain(`"anchor":${answered},`);
    }
  });

  test('an anchor outside of the narrow still has its neighbours', async () => {
    expect(await around(secret, 3, 3)).toMatchObject({ ids: ids(7), found: [false, false, true] });
    expect(await around(9_999_999_999_999_998, 2, 1)).toMatchObject({
      ids: ids(8),
      found: [false, false, true],
    });
    expect(await around(-5, 2, 2)).toMatchObject({ ids: ids(0, 2), found: [false, true, false] });
  });

  test('the newest and the oldest', async () => {
    expect(await around(newest, 2, 7)).toMatchObject({
      ids: ids(8),
      used: newest,
      found: [false, false, true],
    });
    expect(await around('newest', 0, 0)).toMatchObject({
      ids: [],
      used: newest,
      found: [false, false, true],
    });
    expect(await around(0, 7, 2)).toMatchObject({
      ids: ids(0, 2),
      used: 0,
      found: [false, true, false],
    });
    expect(await around('oldest', 0, 20)).toMatchObject({
      ids: denmark,
      used: 0,
      found: [false, true, true],
    });
  });

  test('the first unread message, or the newest if none is unread', async () => {
    const { bob } = all;
    await bob.client.post('messages/flags', { messages: ids(0, 4), op: 'add', flag: 'read' });
    const [first] = ids(4);
    expect(await around('first_unread', 1, 1)).toMatchObject({ ids: ids(3, 6), used: first });
    // An anchor in the same request is ignored.
    const query = {
      anchor: 0,
      use_first_unread_anchor: true,
      num_before: 0,
      num_after: 0,
      narrow: [['stream', 'Denmark']],
    };
    expect((await fetchMessages(bob, query)).body['anchor']).toBe(first);
    await all.pool.query(
      `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
       SELECT $1, stream_id, topic_folded, 'lunch' FROM conversations c JOIN streams s ON s.id = c.stream_id
       WHERE s.name = 'Denmark' AND topic_folded = 'LUNCH'`,
      [bob.id],
    );
    expect((await fetchMessages(bob, query)).body['anchor']).toBe(ids(6)[0]);
    await bob.client.post('mark_all_as_read');
    expect((await fetchMessages(bob, { ...query, num_before: 1 })).body).toMatchObject({
      anchor: newest,
      messages: [{ id: denmark[9] }],
    });
    await bob.client.post('messages/flags', { messages: denmark, op: 'remove', flag: 'read' });
    await all.pool.query('DELETE FROM muted_topics WHERE user_id = $1', [bob.id]);
  });

  test('at most 5000 messages', async () => {
    const { bob } = all;
    await fetchMessages(bob, { anchor: 1, num_before: 2_500, num_after: 2_500 });
    expect(
      await refusalOf(fetchMessages(bob, { anchor: 1, num_before: 2_500, num_after: 2_501 })),
    ).toMatchObject({
      msg: 'Too many messages requested (maximum 5000).',
    });
  });
});

describe('visibility', () => {
  test('without a narrow, messages that the account holds; a public stream narrow adds the others, read and historical', async () => {
    const { cat } = all;
    expect((await fetchMessages(cat)).ids).toEqual([pair, group]);
    const { messages, ids } = await fetchMessages(cat, { narrow: [['stream', 'denmark']] });
    expect(ids).toEqual(denmark);
    expect(messages[0]?.flags).toEqual(['read', 'historical']);
    expect(
      (
        await fetchMessages(cat, {
          narrow: [
            ['stream', 'Denmark'],
            ['topic', 'LUNCH'],
          ],
        })
      ).ids,
    ).toEqual(denmark.slice(0, 6));
    // Any "is" term excludes messages that the user does not hold.
    expect(
      (
        await fetchMessages(cat, {
          narrow: [['stream', 'Denmark'], { operator: 'is', operand: 'starred', negated: true }],
        })
      ).ids,
    ).toEqual([]);
    expect((await fetchMessages(cat, { narrow: [['topic', 'lunch']] })).ids).toEqual([]);
  });

  test('nothing of a private stream that the account never joined, also for administrators and guests', async () => {
    const { ann, cat, guest, bob } = all;
    for (const account of [ann, cat, guest]) {
      expect(
        (await fetchMessages(account, { narrow: [{ operator: 'id', operand: secret }] })).ids,
      ).toEqual([]);
      expect((await fetchMessages(account, { anchor: secret, num_before: 0 })).ids).toEqual([]);
    }
    const terms = [
      ['sender', bob.email],
      ['stream', 'secret'],
    ];
    expect((await fetchMessages(bob, { narrow: terms })).ids).toEqual([secret]);
    expect((await fetchMessages(ann, { narrow: terms })).ids).toEqual([]);
  });

  test('a hidden stream looks unknown, except to those who know of it', async () => {
    const { ann, bob, cat, guest, pool } = all;
    const { rows } = await pool.query<{ id: number; name: string }>('SELECT id, name FROM streams');
    const narrowTo = (account: typeof ann, operand: unknown): Promise<unknown> =>
      fetchMessages(account, { narrow: [{ operator: 'stream', operand }] });
    const idOf = (name: string): number => rows.find((row) => row.name === name)?.id ?? 0;
    for (const [account, name] of [
      [cat, 'secret'],
      [guest, 'secret'],
      [guest, 'Denmark'],
    ] as const) {
      for (const operand of [idOf(name), name, ` ${name.toUpperCase()}`]) {
        expect(await refusalOf(narrowTo(account, operand))).toMatchObject({
          code: 'BAD_NARROW',
          desc: `unknown stream ${operand}`,
        });
      }
    }
    for (const name of ['secret', 'Denmark'] as const) {
      for (const operand of [name, idOf(name)]) {
        const found = { ids: name === 'secret' ? [secret] : denmark };
        expect(await narrowTo(bob, operand)).toMatchObject(found);
        expect(await narrowTo(ann, operand)).toMatchObject(name === 'secret' ? { ids: [] } : found);
      }
    }
  });

  test('streams:public gives members public history, and not guests', async () => {
    const { cat, guest } = all;
    expect((await fetchMessages(cat, { narrow: [['streams', 'public']] })).ids).toEqual(denmark);
    expect((await fetchMessages(guest, { narrow: [['streams', 'public']] })).ids).toEqual([]);
    expect(
      (
        await fetchMessages(cat, {
          narrow: [{ operator: 'streams', operand: 'public', negated: true }],
        })
      ).ids,
    ).toEqual([pair, group]);
  });

  test('a former subscriber of a private stream sees received messages and nothing newer', async () => {
    const { organization, bob, cat } = all;
    const stream = await organization.makeStream('leaving', [bob, cat], { inviteOnly: true });
    const received = await bob.client.sendToStream('leaving', 'x', 'before');
    await cat.client.delete('users/me/subscriptions', { subscriptions: ['leaving'] });
    const later = await bob.client.sendToStream('leaving', 'x', 'after');
    const { messages } = await fetchMessages(cat, { narrow: [['stream', 'leaving']] });
    expect(messages).toMatchObject([{ id: received, flags: ['read'] }]);
    await organization.maker.subscribe(stream.id, [cat.id]);
    const back = await bob.client.sendToStream('leaving', 'x', 'back');
    expect(
      (await fetchMessages(cat, { narrow: [{ operator: 'stream', operand: stream.id }] })).ids,
    ).toEqual([received, back]);
    expect((await fetchMessages(bob, { narrow: [['stream', 'leaving']] })).ids).toEqual([
      received,
      later,
      back,
    ]);
  });

  test('every message has its own text, whatever its letters take in bytes', async () => {
    const { bob, cat } = all;
    const texts = [
      'ä',
      'e\u0301 é',
      '漢字 \u{20000}',
      '𝒳𝒴',
      'plain',
      'Ωß',
      '1',
      'ñ'.repeat(2_000),
      'a\u00a0|\u2028b',
    ];
    const sent: number[] = [];
    for (const text of texts) sent.push(await bob.client.sendPrivately([cat.email], text));
    for (const apply_markdown of [true, false]) {
      const { body } = await fetchMessages(cat, {
        anchor: 'newest',
        num_before: texts.length,
        num_after: 0,
        narrow: [['pm-with', bob.email]],
        apply_markdown,
      });
      const messages = body['messages'] as { readonly id: number; readonly content: string }[];
      expect(messages.map(({ id, content }) => [id, content])).toEqual(
        texts.map((text, at) => [sent[at], apply_markdown ? `<p>${text}</p>` : text]),
      );
    }
  });

  test('avatar, content and flags follow the options', async () => {
    const { messages } = await fetchMessages(all.ann, {
      anchor: denmark[0],
      num_before: 0,
      client_gravatar: true,
    });
    expect(messages).toMatchObject([
      {
        avatar_url: null,
        content: 'message 0 https://example.com',
        content_type: 'text/x-markdown',
      },
    ]);
  });
});

describe('operators', () => {
  type Term =
    | readonly [string, unknown]
    | { operator: string; operand: unknown; negated?: boolean };
  const narrowed = async (...terms: Term[]): Promise<readonly number[]> =>
    (await fetchMessages(all.ann, { narrow: terms })).ids;
  const not = (operator: string, operand: unknown): Term => ({ operator, operand, negated: true });

  test('sender', async () => {
    const { ann, bob } = all;
    const even = denmark.filter((_, n) => n % 2 === 0);
    expect(await narrowed(['sender', 'ANN@example.com'])).toEqual([...even, pair, group]);
    expect(await narrowed({ operator: 'sender', operand: bob.id }, ['stream', 'Denmark'])).toEqual(
      denmark.filter((id) => !even.includes(id)),
    );
    expect(await narrowed(not('sender', ann.id))).toEqual(
      denmark.filter((id) => !even.includes(id)),
    );
  });

  test('private messages', async () => {
    const { ann, cat, guest, bob } = all;
    expect(await narrowed(['is', 'private'])).toEqual([pair, group]);
    expect(await narrowed(not('is', 'private'))).toEqual(denmark);
    expect(await narrowed(['pm-with', `${ann.email}, ${cat.email}`])).toEqual([pair]);
    expect(await narrowed({ operator: 'pm-with', operand: [guest.id, cat.id] })).toEqual([group]);
    expect(await narrowed(['pm-with', bob.email])).toEqual([]);
    expect(await narrowed(not('pm-with', cat.email), ['is', 'private'])).toEqual([group]);
    expect(await narrowed(['group-pm-with', cat.email])).toEqual([group]);
  });

  test('flags', async () => {
    const { client } = all.ann;
    const [first = 0, second = 0] = denmark;
    await client.post('messages/flags', { messages: [first], op: 'add', flag: 'starred' });
    await client.post('messages/flags', { messages: [first, second], op: 'add', flag: 'read' });
    expect(await narrowed(['is', 'starred'])).toEqual([first]);
    expect(await narrowed(not('is', 'starred'), ['topic', 'lunch'])).toEqual(denmark.slice(1, 6));
    expect(await narrowed(['is', 'unread'], ['stream', 'Denmark'])).toEqual(denmark.slice(2));
    expect(await narrowed(['is', 'unread'], ['topic', 'dinner'])).toEqual(denmark.slice(6));
    expect(await narrowed(not('is', 'unread'))).toEqual([first, second]);
    expect(await narrowed(['is', 'mentioned'])).toEqual([]);
  });

  test('content, home, ids', async () => {
    expect(await narrowed(['has', 'link'])).toEqual(denmark);
    expect(await narrowed(not('has', 'link'))).toEqual([pair, group]);
    expect(await narrowed(['in', 'all'], ['near', '5'], not('in', 'all'))).toEqual([
      ...denmark,
      pair,
      group,
    ]);
    expect(await narrowed(['id', String(pair)])).toEqual([pair]);
    expect(await narrowed(['id', '9'.repeat(40)])).toEqual([]);
    await all.pool.query('UPDATE subscriptions SET is_muted = true WHERE user_id = $1', [
      all.ann.id,
    ]);
    expect(await narrowed(['in', 'home'])).toEqual([pair, group]);
    await all.pool.query('UPDATE subscriptions SET is_muted = false WHERE user_id = $1', [
      all.ann.id,
    ]);
  });

  test('all terms must match', async () => {
    expect(await narrowed(['stream', 'Denmark'], not('topic', 'lunch'))).toEqual(denmark.slice(6));
    expect(await narrowed(not('stream', 'Denmark'))).toEqual([pair, group]);
    expect(await narrowed(['stream', 'Denmark'], ['stream', 'secret'])).toEqual([]);
  });
});

describe('refusals', () => {
  const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
    [
      'no anchor',
      { anchor: undefined },
      { msg: "Missing 'anchor' argument (or set 'use_first_unread_anchor'=True)." },
    ],
    [
      'a word as anchor',
      { anchor: 'middle' },
      { code: 'REQUEST_VARIABLE_INVALID', var_name: 'anchor', bad_value: 'middle' },
    ],
    [
      'no count',
      { num_before: undefined },
      { code: 'REQUEST_VARIABLE_MISSING', var_name: 'num_before' },
    ],
    ['a negative count', { num_before: -1 }, { msg: "Bad value for 'num_before': -1" }],
    ['no list as narrow', { narrow: {} }, { code: 'REQUEST_VARIABLE_INVALID', var_name: 'narrow' }],
    [
      'an integer in a pair',
      { narrow: [['stream', 5]] },
      { msg: `Bad value for 'narrow': [["stream",5]]` },
    ],
    [
      'an id with a fraction',
      { narrow: '[{"operator":"stream","operand":5.0}]' },
      { code: 'BAD_REQUEST', msg: 'elem["operand"] is not a string or integer' },
    ],
    [
      'an unknown operator',
      { narrow: [['from', 'x']] },
      { code: 'BAD_NARROW', desc: 'unknown operator from' },
    ],
    ['an empty operator', { narrow: [['', 'x']] }, { desc: 'unknown operator ' }],
    ['an unknown stream', { narrow: [['stream', 'nowhere']] }, { desc: 'unknown stream nowhere' }],
    [
      'an unknown stream id',
      { narrow: [{ operator: 'stream', operand: 99_999 }] },
      { desc: 'unknown stream 99999' },
    ],
    ['an unknown sender', { narrow: [['sender', 'x@x']] }, { desc: 'unknown user x@x' }],
    [
      'an unknown person',
      { narrow: [['pm-with', 'x@x, bob@example.com']] },
      { desc: 'unknown user in x@x, bob@example.com' },
    ],
    [
      'an empty address',
      { narrow: [['pm-with', 'bob@example.com,']] },
      { desc: 'unknown user in bob@example.com,' },
    ],
    [
      'unknown ids',
      { narrow: [{ operator: 'pm-with', operand: [98_765, 1] }] },
      { desc: 'unknown user in [98765, 1]' },
    ],
    ['nobody', { narrow: [{ operator: 'pm-with', operand: [] }] }, { desc: 'unknown user in []' }],
    ['an unknown is', { narrow: [['is', 'x']] }, { desc: "unknown 'is' operand x" }],
    [
      'an unknown has',
      { narrow: [['has', 'constructor']] },
      { desc: "unknown 'has' operand constructor" },
    ],
    ['an unknown in', { narrow: [['in', 'x']] }, { desc: "unknown 'in' operand x" }],
    ['an unknown streams', { narrow: [['streams', 'x']] }, { desc: 'unknown streams operand x' }],
    ['no digits', { narrow: [['id', 'abc']] }, { desc: 'Invalid message ID' }],
  ];
  test.each(cases)('%s', async (_name, change, expected) => {
    expect(await refusalOf(fetchMessages(all.ann, change))).toMatchObject({
      status: 400,
      ...expected,
    });
  });
});

// Answers of tens of megabytes take a while on a busy machine.
test(
  'a page of very long messages is shorter and reports that there are more',
  { timeout: 90_000 },
  async () => {
    const { organization, bob, cat } = all;
    await organization.makeStream('long', [bob, cat]);
    const ids: number[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await bob.client.sendToStream('long', 'x', `${n}`));
    const setLengths = (mib: number, long: readonly number[]): Promise<unknown> =>
      all.pool.query("UPDATE messages SET content = repeat('x', $1) WHERE id = ANY ($2)", [
        mib * 1_048_576,
        long,
      ]);
    const page = async (parameters: Record<string, unknown>): Promise<unknown> => {
      const { ids: found, body } = await fetchMessages(cat, {
        narrow: [['stream', 'long']],
        ...parameters,
      });
      return [found.map((id) => ids.indexOf(id)), body['found_oldest'], body['found_newest']];
    };
    await setLengths(4, ids);
    expect(await page({})).toEqual([[8, 9, 10, 11], false, true]);
    expect(await page({ anchor: 'oldest', num_before: 0, num_after: 50 })).toEqual([
      [0, 1, 2, 3],
      true,
      false,
    ]);
    expect(await page({ anchor: ids[6], num_before: 50, num_after: 50 })).toEqual([
      [2, 3, 4, 5, 6, 7, 8, 9],
      false,
      false,
    ]);
    expect(await page({ anchor: ids[2], num_before: 50, num_after: 1 })).toEqual([
      [0, 1, 2, 3],
      true,
      false,
    ]);
    // A client that continues from the last message makes progress, however long the messages are.
    await setLengths(9, ids.slice(2, 10));
    expect(await page({ anchor: ids[6], num_before: 9, num_after: 9 })).toEqual([
      [4, 5, 6, 7],
      false,
      false,
    ]);
  },
);
