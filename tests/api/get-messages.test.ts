import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import { badNarrow, expectRefusal, invalid, missing } from './refusals.ts';

const newest = 10_000_000_000_000_000;

type Term = readonly [string, unknown] | object;

async function narrowed(account: TestAccount, ...narrow: Term[]): Promise<readonly number[]> {
  return (await fetchMessages(account, { narrow })).ids;
}

const not = (operator: string, operand: unknown): Term => ({ operator, operand, negated: true });

/** Ten messages in Denmark, none of which Cat received, and some elsewhere. */
let denmark: number[];
let secret: number;
let pair: number;
let group: number;

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
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
    await bob.client.flag(ids(0, 4), 'read');
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
    await bob.client.post('mark_all_as_read');
    expect((await fetchMessages(bob, { ...query, num_before: 1 })).body).toMatchObject({
      anchor: newest,
      messages: [{ id: denmark[9] }],
    });
    await bob.client.flag(denmark, 'read', 'remove');
  });

  test('at most 5000 messages', async () => {
    const { bob } = all;
    await fetchMessages(bob, { anchor: 1, num_before: 2_500, num_after: 2_500 });
    await expectRefusal(
      fetchMessages(bob, { anchor: 1, num_before: 2_500, num_after: 2_501 }),
      'Too many messages requested (maximum 5000).',
    );
  });
});

describe('visibility', () => {
  test('without a narrow, messages that the account holds; a public stream narrow adds the others, read and historical', async () => {
    const { cat } = all;
    expect((await fetchMessages(cat)).ids).toEqual([pair, group]);
    const { messages, ids } = await fetchMessages(cat, { narrow: [['stream', 'denmark']] });
    expect(ids).toEqual(denmark);
    expect(messages[0]?.flags).toEqual(['read', 'historical']);
    expect(await narrowed(cat, ['stream', 'Denmark'], ['topic', 'LUNCH'])).toEqual(
      denmark.slice(0, 6),
    );
    // Any "is" term excludes messages that the user does not hold.
    expect(await narrowed(cat, ['stream', 'Denmark'], not('is', 'starred'))).toEqual([]);
    expect(await narrowed(cat, ['topic', 'lunch'])).toEqual([]);
  });

  test('nothing of a private stream that the account never joined, also for administrators and guests', async () => {
    const { ann, cat, guest, bob } = all;
    for (const account of [ann, cat, guest]) {
      expect(await narrowed(account, { operator: 'id', operand: secret })).toEqual([]);
      expect((await fetchMessages(account, { anchor: secret, num_before: 0 })).ids).toEqual([]);
    }
    for (const [account, ids] of [
      [bob, [secret]],
      [ann, []],
    ] as const)
      expect(await narrowed(account, ['sender', bob.email], ['stream', 'secret'])).toEqual(ids);
  });

  test('a hidden stream looks unknown, except to those who know of it', async () => {
    const { ann, bob, cat, guest, pool } = all;
    const { rows } = await pool.query<{ id: number; name: string }>('SELECT id, name FROM streams');
    const narrowTo = (account: TestAccount, operand: unknown): Promise<readonly number[]> =>
      narrowed(account, { operator: 'stream', operand });
    const idOf = (name: string): number => rows.find((row) => row.name === name)?.id ?? 0;
    for (const [account, name] of [
      [cat, 'secret'],
      [guest, 'secret'],
      [guest, 'Denmark'],
    ] as const) {
      for (const operand of [idOf(name), name, ` ${name.toUpperCase()}`])
        await expectRefusal(narrowTo(account, operand), badNarrow(`unknown stream ${operand}`));
    }
    for (const name of ['secret', 'Denmark'] as const) {
      for (const operand of [name, idOf(name)]) {
        expect(await narrowTo(bob, operand)).toEqual(name === 'secret' ? [secret] : denmark);
        expect(await narrowTo(ann, operand)).toEqual(name === 'secret' ? [] : denmark);
      }
    }
  });

  test('streams:public gives members public history, and not guests', async () => {
    const { cat, guest } = all;
    expect(await narrowed(cat, ['streams', 'public'])).toEqual(denmark);
    expect(await narrowed(guest, ['streams', 'public'])).toEqual([]);
    expect(await narrowed(cat, not('streams', 'public'))).toEqual([pair, group]);
  });

  test('a former subscriber of a private stream sees received messages and nothing newer', async () => {
    const { organization, bob, cat } = all;
    const stream = await organization.makeStream('leaving', [bob, cat], { inviteOnly: true });
    const received = await bob.client.sendToStream('leaving', 'x', 'before');
    await cat.client.unsubscribe('leaving');
    const later = await bob.client.sendToStream('leaving', 'x', 'after');
    const { messages } = await fetchMessages(cat, { narrow: [['stream', 'leaving']] });
    expect(messages).toMatchObject([{ id: received, flags: ['read'] }]);
    await organization.maker.subscribe(stream.id, [cat.id]);
    const back = await bob.client.sendToStream('leaving', 'x', 'back');
    expect(await narrowed(cat, { operator: 'stream', operand: stream.id })).toEqual([
      received,
      back,
    ]);
    expect(await narrowed(bob, ['stream', 'leaving'])).toEqual([received, later, back]);
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
  test('sender', async () => {
    const { ann, bob } = all;
    const even = denmark.filter((_, n) => n % 2 === 0);
    expect(await narrowed(all.ann, ['sender', 'ANN@example.com'])).toEqual([...even, pair, group]);
    expect(
      await narrowed(all.ann, { operator: 'sender', operand: bob.id }, ['stream', 'Denmark']),
    ).toEqual(denmark.filter((id) => !even.includes(id)));
    expect(await narrowed(all.ann, not('sender', ann.id))).toEqual(
      denmark.filter((id) => !even.includes(id)),
    );
  });

  test('private messages', async () => {
    const { cat } = all;
    expect(await narrowed(all.ann, ['is', 'private'])).toEqual([pair, group]);
    expect(await narrowed(all.ann, not('is', 'private'))).toEqual(denmark);
    expect(await narrowed(all.ann, not('pm-with', cat.email), ['is', 'private'])).toEqual([group]);
  });

  test('flags', async () => {
    const { client } = all.ann;
    const [first = 0, second = 0] = denmark;
    await client.flag([first], 'starred');
    await client.flag([first, second], 'read');
    expect(await narrowed(all.ann, ['is', 'starred'])).toEqual([first]);
    expect(await narrowed(all.ann, not('is', 'starred'), ['topic', 'lunch'])).toEqual(
      denmark.slice(1, 6),
    );
    expect(await narrowed(all.ann, ['is', 'unread'], ['stream', 'Denmark'])).toEqual(
      denmark.slice(2),
    );
    expect(await narrowed(all.ann, ['is', 'unread'], ['topic', 'dinner'])).toEqual(
      denmark.slice(6),
    );
    expect(await narrowed(all.ann, not('is', 'unread'))).toEqual([first, second]);
  });

  test('times', async () => {
    const at = async (id: number | undefined): Promise<number> => {
      const [message] = await fetchMessages(all.ann, { narrow: [['id', String(id)]] }).then(
        ({ messages }) => messages,
      );
      return Number(message?.['timestamp']);
    };
    const written = (secs: number): string => new Date(secs * 1_000).toISOString();
    const [first, last] = [await at(denmark[0]), await at(group)];
    const everything = [...denmark, pair, group];
    expect(await narrowed(all.ann, ['before', written(first)])).toEqual([]);
    expect(await narrowed(all.ann, ['before', written(last + 1)])).toEqual(everything);
    expect(await narrowed(all.ann, ['after', written(first)])).toEqual(everything);
    expect(await narrowed(all.ann, ['after', written(last + 1)])).toEqual([]);
    expect(await narrowed(all.ann, not('after', written(last + 1)))).toEqual(everything);
    expect(await narrowed(all.ann, ['after', '2001-01-01'], ['before', '2001-01-02'])).toEqual([]);
  });

  test('content, ids', async () => {
    expect(await narrowed(all.ann, ['has', 'link'])).toEqual(denmark);
    expect(await narrowed(all.ann, not('has', 'link'))).toEqual([pair, group]);
    expect(await narrowed(all.ann, ['in', 'all'], ['near', '5'], not('in', 'all'))).toEqual([
      ...denmark,
      pair,
      group,
    ]);
    expect(await narrowed(all.ann, ['id', '9'.repeat(40)])).toEqual([]);
  });

  test('all terms must match', async () => {
    expect(await narrowed(all.ann, ['stream', 'Denmark'], not('topic', 'lunch'))).toEqual(
      denmark.slice(6),
    );
    expect(await narrowed(all.ann, not('stream', 'Denmark'))).toEqual([pair, group]);
    expect(await narrowed(all.ann, ['stream', 'Denmark'], ['stream', 'secret'])).toEqual([]);
  });
});

describe('refusals', () => {
  test.each<[string, Parameters, JsonObject | string]>([
    [
      'no anchor',
      { anchor: undefined },
      "Missing 'anchor' argument (or set 'use_first_unread_anchor'=True).",
    ],
    ['a word as anchor', { anchor: 'middle' }, invalid('anchor', 'middle')],
    ['no count', { num_before: undefined }, missing('num_before')],
    ['a negative count', { num_before: -1 }, invalid('num_before', '-1')],
    ['no list as narrow', { narrow: {} }, invalid('narrow', '{}')],
    ['an integer in a pair', { narrow: [['stream', 5]] }, invalid('narrow', '[["stream",5]]')],
    ['neither a list nor an object', { narrow: [1] }, invalid('narrow', '[1]')],
    [
      'a pair with three elements',
      { narrow: [['stream', 'x', 'y']] },
      invalid('narrow', '[["stream","x","y"]]'),
    ],
    [
      'an id with a fraction',
      { narrow: '[{"operator":"stream","operand":5.0}]' },
      'elem["operand"] is not a string or integer',
    ],
  ])('%s', async (_name, change, refusal) => {
    await expectRefusal(fetchMessages(all.ann, change), refusal);
  });

  test.each<[string, object, string]>([
    ['no operand', { operator: 'is' }, 'operand key is missing from elem'],
    ['no operator', { operand: 'is' }, 'operator key is missing from elem'],
    ['a number as operator', { operator: 1, operand: 'x' }, 'elem["operator"] is not a string'],
    [
      'a list as stream',
      { operator: 'stream', operand: [] },
      'elem["operand"] is not a string or integer',
    ],
    ['a number as topic', { operator: 'topic', operand: 1 }, 'elem["operand"] is not a string'],
    [
      'a number as conversation',
      { operator: 'pm-with', operand: 1 },
      'elem["operand"] is not a string or an integer list',
    ],
    [
      'text among ids',
      { operator: 'pm-with', operand: ['x'] },
      'elem["operand"][0] is not an integer',
    ],
  ])('a term with %s', async (_name, term, msg) => {
    await expectRefusal(narrowed(all.ann, term), msg);
  });

  test.each<[string, Term, string]>([
    ['an unknown operator', ['from', 'x'], 'unknown operator from'],
    ['an empty operator', ['', 'x'], 'unknown operator '],
    ['a day that is none', ['before', '2026-02-30'], 'not a time: 2026-02-30'],
    ['an unknown stream', ['stream', 'nowhere'], 'unknown stream nowhere'],
    ['an unknown stream id', { operator: 'stream', operand: 99_999 }, 'unknown stream 99999'],
    ['an unknown sender', ['sender', 'x@x'], 'unknown user x@x'],
    [
      'an unknown person',
      ['pm-with', 'x@x, bob@example.com'],
      'unknown user in x@x, bob@example.com',
    ],
    ['an empty address', ['pm-with', 'bob@example.com,'], 'unknown user in bob@example.com,'],
    ['unknown ids', { operator: 'pm-with', operand: [98_765, 1] }, 'unknown user in [98765, 1]'],
    ['nobody', { operator: 'pm-with', operand: [] }, 'unknown user in []'],
    ['an unknown person in a group', ['group-pm-with', 'x@x'], 'unknown user x@x'],
    ['an unknown is', ['is', 'x'], "unknown 'is' operand x"],
    ['an unknown has', ['has', 'constructor'], "unknown 'has' operand constructor"],
    ['an unknown in', ['in', 'x'], "unknown 'in' operand x"],
    ['an unknown streams', ['streams', 'x'], 'unknown streams operand x'],
    ['no digits', ['id', 'abc'], 'Invalid message ID'],
  ])('%s', async (_name, term, desc) => {
    await expectRefusal(narrowed(all.ann, term), badNarrow(desc));
  });
});
