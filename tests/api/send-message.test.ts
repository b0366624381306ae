import { readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { anyNumber, textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { entryOf, fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import type { Message } from './message-fixture.ts';
import { coded, invalid, missing, unknownStream } from './refusals.ts';

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat, guest } = all;
  await organization.makeStream('Denmark', [ann, bob]);
  await organization.makeStream('secret', [bob], { inviteOnly: true });
  await organization.makeStream('news', [ann, bob], { isAnnouncementOnly: true });
  await organization.makeStream('for guests', [guest, cat]);
  await organization.makeStream('secret news', [bob], {
    inviteOnly: true,
    isAnnouncementOnly: true,
  });
});

function recipientsOf(message: Message | undefined): readonly JsonObject[] {
  return readObjects(message ?? {}, 'display_recipient');
}

/** JSON as deep as a widget's text may be. */
const deepList = `${'['.repeat(4_900)}${']'.repeat(4_900)}`;

const toDenmark = { type: 'stream', to: 'Denmark', topic: 'lunch', content: 'hello' };

describe('accepted', () => {
  test('a send to a stream returns only its id, and the message is fetched as sent', async () => {
    const { ann, bob } = all;
    const body = await ann.client.post('messages', {
      type: 'stream',
      to: 'denmark ',
      subject: ' lunch ',
      content: '  *hi* \n',
    });
    expect(body).toEqual({ result: 'success', msg: '', id: anyNumber });
    const { messages } = await fetchMessages(bob, {
      narrow: [['stream', 'DENMARK']],
      apply_markdown: true,
    });
    expect(messages.at(-1)).toEqual({
      id: body['id'],
      type: 'stream',
      sender_id: ann.id,
      sender_email: 'ann@example.com',
      sender_full_name: 'Ann Lee',
      sender_short_name: 'ann',
      sender_realm_str: 'test',
      content: '<p><em>hi</em></p>',
      content_type: 'text/html',
      display_recipient: 'Denmark',
      stream_id: anyNumber,
      recipient_id: anyNumber,
      subject: 'lunch',
      subject_links: [],
      timestamp: anyNumber,
      client: 'ParleyTest',
      is_me_message: false,
      reactions: [],
      submessages: [],
      flags: [],
      avatar_url: textMatching(
        /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/,
      ),
    });
  });

  test('two people have one recipient id per direction and one conversation; display recipients are sorted by address', async () => {
    const { ann, bob } = all;
    await ann.client.sendPrivately([bob.email], 'there');
    await bob.client.sendPrivately([ann.email, bob.email], 'back');
    const { messages } = await fetchMessages(ann, {
      narrow: [['pm-with', ' bob@example.com, ann@example.com']],
    });
    expect(messages.map((message) => message['content'])).toEqual(['there', 'back']);
    expect(messages[0]?.['recipient_id']).not.toBe(messages[1]?.['recipient_id']);
    expect(recipientsOf(messages[0]).map((person) => person['email'])).toEqual([
      'ann@example.com',
      'bob@example.com',
    ]);
  });

  test('a message to oneself', async () => {
    const { cat } = all;
    const id = await cat.client.sendPrivately([cat.email], 'note');
    const { messages } = await fetchMessages(cat, { narrow: [['pm-with', cat.email]] });
    expect(messages).toMatchObject([{ id, display_recipient: [{ id: cat.id }] }]);
  });

  test.each([
    ['emoji', '😀'.repeat(1_100), '<p>😀😀'],
    ['ten thousand emoji', '😀'.repeat(10_000), '<p>😀😀'],
    ['emoji by name', ':a:'.repeat(3_333), '<p>:a::a:'],
    ['short links', 'a.tv '.repeat(1_999) + 'a.tv', '<p>a.tv a.tv'],
    [
      'a table with very many cells',
      `${'a|'.repeat(1_900)}\n${'-|'.repeat(1_900)}\n${'x\n'.repeat(1_100)}x`,
      '<p>a|a|',
    ],
  ])('%s are accepted whole, however long their HTML is', async (_name, content, start) => {
    const { ann, bob } = all;
    const sent = await ann.client.post('messages', { ...toDenmark, content });
    const edited = await ann.client.sendToStream('Denmark', 'lunch', 'short');
    await ann.client.patch(`messages/${edited}`, { content });
    const deferred = { delivery_type: 'send_later', deliver_at: '2999-01-01' };
    expect(
      await ann.client.post('messages', { ...toDenmark, ...deferred, content }),
    ).toHaveProperty('deliver_at');
    const { rendered } = await ann.client.post('messages/render', { content });
    expect(String(rendered).startsWith(start)).toBe(true);
    expect((await fetchMessages(bob, { num_before: 2 })).messages).toMatchObject([
      { id: sent['id'], content },
      { id: edited, content },
    ]);
    const asHtml = await fetchMessages(bob, { num_before: 1, apply_markdown: true });
    expect(asHtml.messages).toMatchObject([{ id: edited, content: rendered }]);
  });

  test('the same request twice sends two messages, and with one key or local id one message', async () => {
    const { ann } = all;
    const { client } = ann;
    const send = async (
      more: Record<string, string>,
      headers: Record<string, string> = {},
    ): Promise<unknown> =>
      (await client.post('messages', { ...toDenmark, ...more }, { headers }))['id'];
    expect(await send({})).not.toBe(await send({}));
    const keyed = { 'idempotency-key': 'key 1' };
    const first = await send({}, keyed);
    expect(await send({}, keyed)).toBe(first);
    expect(await refusalOf(send({ content: 'other' }, keyed))).toMatchObject({
      status: 409,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    const local = { queue_id: 'q', local_id: '17.01' };
    const echoed = await send(local);
    expect(await send(local)).toBe(echoed);
    expect(await send({ ...local, content: 'other' })).not.toBe(echoed);
    expect((await entryOf(all.pool, Number(echoed))).local).toEqual({
      queueId: 'q',
      localId: '17.01',
    });
  });

  test('a hundred concurrent sends get a hundred ids', async () => {
    const { ann } = all;
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        ann.client.sendToStream('Denmark', 'many', `message ${n}`),
      ),
    );
    expect(new Set(ids).size).toBe(100);
    const { messages } = await fetchMessages(ann, {
      narrow: [
        ['stream', 'Denmark'],
        ['topic', 'MANY'],
      ],
    });
    expect(new Map(messages.map((message) => [message.id, message['content']]))).toEqual(
      new Map(ids.map((id, n) => [id, `message ${n}`])),
    );
  });

  test('private messages that are sent at once reach their own people, by address or id, and one that is refused refuses no other', async () => {
    const { ann, bob, cat, guest } = all;
    const groups = [[bob, cat], [bob, guest], [cat, guest], [bob, cat, guest], [guest]];
    const sends = groups.flatMap((people) => [
      { people, to: people.map(({ email }) => email.toUpperCase()) },
      { people, to: people.map(({ id }) => id) },
    ]);
    const refused = [['nobody@example.com'], [bob.email, 'nobody@example.com'], [4_000_000_000]];
    const [ids, refusals] = await Promise.all([
      Promise.all(
        sends.map(async ({ to }, n) => {
          const form = { type: 'private', to: JSON.stringify(to), content: `at once ${n}` };
          return (await ann.client.post('messages', form))['id'];
        }),
      ),
      Promise.all(
        refused.map((to) =>
          refusalOf(
            ann.client.post('messages', { type: 'private', to: JSON.stringify(to), content: 'no' }),
          ),
        ),
      ),
    ]);
    expect(refusals.map(({ msg }) => msg)).toEqual([
      "Invalid email 'nobody@example.com'",
      "Invalid email 'nobody@example.com'",
      'Invalid user ID 4000000000',
    ]);
    const { messages } = await fetchMessages(ann, { num_before: 100 });
    const found = new Map(messages.map((message) => [message.id, message]));
    for (const [n, { people }] of sends.entries()) {
      const message = found.get(Number(ids[n]));
      expect(message?.['content']).toBe(`at once ${n}`);
      expect(new Set(recipientsOf(message).map(({ id }) => id))).toEqual(
        new Set([ann.id, ...people.map(({ id }) => id)]),
      );
    }
  });

  test('a message from a human client is read for its sender', async () => {
    const { ann } = all;
    await ann.client.post('messages', { ...toDenmark, client: 'website' });
    expect((await fetchMessages(ann, { num_before: 1 })).messages[0]).toMatchObject({
      client: 'website',
      flags: ['read'],
    });
    await ann.client.post('messages', toDenmark);
    expect((await fetchMessages(ann, { num_before: 1 })).messages[0]).toMatchObject({
      client: 'ParleyTest',
      flags: [],
    });
  });

  test('mentions, wildcards and alert words set flags for the affected users', async () => {
    const { ann, bob, bot, pool } = all;
    await pool.query('INSERT INTO alert_words (user_id, word) VALUES ($1, $2)', [
      ann.id,
      'Smørrebrød',
    ]);
    const id = await ann.client.sendToStream(
      'Denmark',
      'x',
      '@**bob ray** @**Robo Bot** @**all** smørrebrød! @_**Ann Lee**',
    );
    const flags = async (account: typeof ann): Promise<unknown> =>
      (await fetchMessages(account, { anchor: id, num_before: 0 })).messages[0]?.flags;
    expect(await flags(ann)).toEqual(['wildcard_mentioned', 'has_alert_word']);
    expect(await flags(bob)).toEqual(['mentioned', 'wildcard_mentioned']);
    // A generic bot that is mentioned holds messages of streams that it is not subscribed to.
    expect(await flags(bot)).toEqual(['mentioned', 'wildcard_mentioned']);
    expect((await entryOf(pool, id)).lateReceiptIds).toEqual([bot.id]);
    const silent = await ann.client.sendToStream(
      'Denmark',
      'x',
      '@_**Bob Ray** `@**Bob Ray**` @all',
    );
    expect(
      (await fetchMessages(bob, { anchor: silent, num_before: 0 })).messages[0]?.flags,
    ).toEqual([]);
  });

  test('stream links are made only to streams that the sender may see', async () => {
    const { ann, bob } = all;
    const rendered = async (sender: typeof ann): Promise<unknown> => {
      const id = await sender.client.sendToStream('Denmark', 'links', '#**secret**');
      return (await fetchMessages(ann, { anchor: id, num_before: 0, apply_markdown: true }))
        .messages[0]?.['content'];
    };
    expect(await rendered(ann)).not.toContain('data-stream-id');
    expect(await rendered(bob)).toContain('data-stream-id');
  });
});

describe('who may send', () => {
  test('an incoming-webhook bot may send', async () => {
    const hook = await all.organization.makeAccount('Hook', {
      email: 'hook@example.com',
      botType: 2,
      owner: all.bob,
    });
    await hook.client.sendToStream('Denmark', 'x', 'x');
    expect(
      await refusalOf(hook.client.get('messages', { anchor: 0, num_before: 0, num_after: 1 })),
    ).toMatchObject({ status: 401 });
  });

  test('a deactivated account is refused, even if a gateway still accepts its key', async () => {
    const { organization, ann, pool } = all;
    const gone = await organization.makeAccount('Late Leo', { email: 'late@example.com' });
    await gone.client.get('messages', { anchor: 0, num_before: 0, num_after: 0 });
    await pool.query('UPDATE users SET is_active = false WHERE id = $1', [gone.id]);
    for (const send of [
      () => gone.client.sendToStream('Denmark', 'x', 'x'),
      () => gone.client.sendPrivately([ann.email], 'x'),
    ]) {
      expect(await refusalOf(send())).toEqual({
        status: 401,
        result: 'error',
        msg: 'Account is deactivated',
      });
    }
  });

  test('a private message has at most a hundred people, its sender among them', async () => {
    const { organization, ann } = all;
    const others = await Promise.all(
      Array.from({ length: 100 }, (_, n) => organization.makeAccount(`One of many ${n}`)),
    );
    const emails = others.map(({ email }) => email);
    expect(await refusalOf(ann.client.sendPrivately(emails, 'all'))).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Too many recipients',
    });
    await ann.client.sendPrivately([...emails.slice(1), ann.email], 'all but one');
  });

  test('nobody may send to a deactivated account, alone or in a group', async () => {
    const { organization, ann, bob, pool } = all;
    const gone = await organization.makeAccount('Gone Girl', { email: 'gone@example.com' });
    await pool.query('UPDATE users SET is_active = false WHERE id = $1', [gone.id]);
    const msg = `'gone@example.com' is no longer using Parley.`;
    expect(await refusalOf(ann.client.sendPrivately([gone.email], 'x'))).toMatchObject({ msg });
    expect(await refusalOf(ann.client.sendPrivately([gone.email, bob.email], 'x'))).toMatchObject({
      msg,
    });
  });
});

describe('refusals', () => {
  const privately = (to: unknown): object => ({ type: 'private', to });
  const widget = (type: string, data: string): object => ({
    widget_content: `{"widget_type":${type},"extra_data":${data}}`,
  });
  const noAddress = (address: string): string => `Invalid email '${address}'`;
  const noLeave = 'User not authorized for this query';
  const noTime = 'Missing deliver_at in a request for delayed message delivery';
  const confused = { code: 'REQUEST_CONFUSING_VAR', var_name1: 'topic', var_name2: 'subject' };
  const unknown = unknownStream('&lt;nowhere&gt;');
  const unknownId = { code: 'STREAM_DOES_NOT_EXIST', stream_id: 999_999_999_999 };
  const tooMany = Array.from({ length: 101 }, (_, n) => 99_999 + n);
  const long = 'Stream name too long (limit: 60 characters).';
  const emptyTopic = "Topic can't be empty";
  const empty = 'Message must not be empty';
  const noText = (member: string): string => `Widgets: ${member} is not a string`;

  test.each<[string, object, object | string]>([
    ['no type', { type: undefined }, missing('type')],
    ['no content', { content: undefined }, missing('content')],
    ['both topics', { subject: 'x' }, confused],
    ['mixed recipients', { to: ['a', 1] }, invalid('to', '["a",1]')],
    ['an unknown type', { type: 'huddle' }, coded('Invalid message type')],
    ['two streams', { to: 'a,b' }, 'Cannot send to multiple streams'],
    ['a widget type of deep lists', widget(deepList, '{}'), noText('widget_type')],
    [
      'a zform type of deep lists',
      widget('"zform"', `{"type":${deepList}}`),
      noText('extra_data["type"]'),
    ],
    ['no stream', { to: '' }, 'Missing stream'],
    ['no stream before no topic', { to: undefined, topic: undefined }, 'Missing stream'],
    ['no topic', { topic: undefined }, 'Missing topic'],
    ['a blank topic', { topic: '  ' }, emptyTopic],
    ['a blank topic before blank content', { topic: ' ', content: ' ' }, emptyTopic],
    ['blank content before an unknown stream', { content: ' \n', to: 'nowhere' }, empty],
    ['a NUL', { content: 'a\0b' }, 'Message must not contain null bytes'],
    ['a NUL in the topic', { topic: 'a\0b' }, {}],
    ['a NUL in a stream', { to: 'a\0b' }, "Stream name 'a\0b' contains NULL (0x00) characters."],
    ['a long stream', { to: 'a'.repeat(61) }, long],
    ['an unknown stream', { to: '<nowhere>' }, unknown],
    ['an unknown stream id', { to: [999_999_999_999] }, unknownId],
    ['no people', privately('[]'), 'Message must have recipients'],
    ['an unknown address', privately('bob@example.com,Nobody@x'), noAddress('Nobody@x')],
    ['an address with a NUL', privately('a\0'), { code: 'BAD_REQUEST' }],
    ['an id with a fraction', privately('[5.0]'), invalid('to', '[5.0]')],
    [
      'more people than a conversation may have, before unknown ones',
      privately(tooMany),
      coded('Too many recipients'),
    ],
    ['an unknown person', privately([99_999]), 'Invalid user ID 99999'],
    ['an impossible person', privately([2 ** 50]), `Invalid user ID ${2 ** 50}`],
    [
      'an unknown address before blank content',
      { ...privately('x'), content: ' ' },
      noAddress('x'),
    ],
    ['forging', { forged: 'yes' }, noLeave],
    ['another organization', { realm_str: 'other' }, noLeave],
    ['delay without a time', { delivery_type: 'send_later' }, noTime],
    ['a bad widget', { widget_content: '{' }, 'Widgets: API programmer sent invalid JSON content'],
    ['an unknown widget', widget('"x"', '{}'), 'Widgets: unknown widget type: x'],
  ])('%s', async (_name, change, expected) => {
    const { ann } = all;
    const before = await fetchMessages(ann, { num_before: 1 });
    const refusal = await refusalOf(ann.client.post('messages', { ...toDenmark, ...change }));
    const named = typeof expected === 'string' ? { msg: expected } : expected;
    expect(refusal).toMatchObject({ status: 400, ...named });
    expect((await fetchMessages(ann, { num_before: 1 })).ids).toEqual(before.ids);
  });

  test('the request may name the organization', async () => {
    const body = await all.ann.client.post('messages', { ...toDenmark, realm_str: 'test' });
    const { ids } = await fetchMessages(all.bob, { num_before: 1 });
    expect(ids).toEqual([body['id']]);
  });
});
