/** PATCH messages/<id>: the text of a message, who may change it and until when. Moves are in move-messages.test.ts. */
import { addAlertWords } from '@parley/store';
import type { JsonObject } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { ChangeFixture, invalidMessage } from './change-fixture.ts';
import type { Name } from './change-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { expectRefusal, success } from './refusals.ts';

let message: number;

const fixture = useFixture(() => ChangeFixture.start(['update_message']));
beforeEach(async () => {
  message = await fixture.send('bob', 'lunch', 'hi');
});

const noPermission = "You don't have permission to edit this message";
const tooLate = 'The time limit for editing this message has passed';
const isOff = 'Your organization has turned off message editing';
const subscribers: readonly Name[] = ['ann', 'bob', 'dan', 'fay', 'member guest'];

/** The flags in each queue's event; there is one event per queue, and only the flags differ. */
async function eventOf(): Promise<{ event: JsonObject; flags: Record<string, unknown> }> {
  const read = await fixture.queues.read();
  const bare: JsonObject[] = [];
  const flags: Record<string, unknown> = {};
  for (const [name, events] of Object.entries(read)) {
    expect(events).toHaveLength(1);
    const { flags: own, ...event } = events[0] ?? {};
    bare.push(event);
    flags[name] = own;
  }
  for (const event of bare) expect(event).toEqual(bare[0]);
  return { event: bare[0] ?? {}, flags };
}

describe('the text', () => {
  test('is replaced, and every holder gets an event with the own flags', async () => {
    await fixture.people.fay.client.flag([message], 'starred');
    await fixture.people.fay.client.flag([message], 'read');
    await fixture.queues.read();
    expect(await fixture.edit('bob', message, { content: '  hello @**Dan Left** \n' })).toEqual(
      success,
    );
    const { event, flags } = await eventOf();
    const { user } = fixture.people.dan;
    const rendered = `<p>hello <span class="user-mention" data-user-id="${user.id}">@Dan Left</span></p>`;
    expect(event).toEqual({
      type: 'update_message',
      user_id: fixture.people.bob.id,
      sender: 'bob@example.com',
      message_id: message,
      message_ids: [message],
      edit_timestamp: anyNumber,
      stream_name: 'Denmark',
      stream_id: anyNumber,
      orig_content: 'hi',
      orig_rendered_content: '<p>hi</p>',
      prev_rendered_content_version: 1,
      content: 'hello @**Dan Left**',
      rendered_content: rendered,
      is_me_message: false,
    });
    expect(flags).toEqual({
      ann: [],
      bob: [],
      dan: ['mentioned'],
      fay: ['read', 'starred'],
      'member guest': [],
    });
    expect(await fixture.fetched('dan', message)).toMatchObject({
      content: 'hello @**Dan Left**',
      flags: ['mentioned'],
      last_edit_timestamp: event['edit_timestamp'],
      edit_history: [
        {
          user_id: fixture.people.bob.id,
          timestamp: event['edit_timestamp'],
          prev_content: 'hi',
          prev_rendered_content: '<p>hi</p>',
          prev_rendered_content_version: 1,
        },
      ],
    });
    expect(await fixture.raw('cat', message)).toBe('hello @**Dan Left**');
  });

  test('adds and removes mentions, wildcards and alert words, and keeps read and starred', async () => {
    const { fay, dan } = fixture.people;
    await addAlertWords(fixture.all.pool, fay.id, ['herring']);
    const flagsOf = async (who: Name): Promise<unknown> =>
      (await fixture.fetched(who, message))?.flags;
    await dan.client.flag([message], 'read');
    await fixture.edit('bob', message, { content: '@**all** @**Dan Left** herring' });
    expect(await flagsOf('dan')).toEqual(['read', 'mentioned', 'wildcard_mentioned']);
    expect(await flagsOf('fay')).toEqual(['wildcard_mentioned', 'has_alert_word']);
    await fay.client.flag([message], 'starred');
    await fixture.edit('bob', message, { content: 'nothing of all that' });
    expect(await flagsOf('dan')).toEqual(['read']);
    expect(await flagsOf('fay')).toEqual(['starred']);
  });

  test('determines the implied flags again, whatever was set or cleared by hand', async () => {
    const change = (op: string, flag: string): Promise<unknown> =>
      fixture.people.fay.client.post('messages/flags', { messages: [message], op, flag });
    await fixture.edit('bob', message, { content: '@**all** @**Fay Here**' });
    await change('remove', 'mentioned');
    await change('remove', 'wildcard_mentioned');
    await change('add', 'has_alert_word');
    await change('add', 'collapsed');
    expect((await fixture.fetched('fay', message))?.flags).toEqual(['collapsed', 'has_alert_word']);
    await fixture.edit('bob', message, { topic: 'other' });
    expect((await fixture.fetched('fay', message))?.flags).toEqual(['collapsed', 'has_alert_word']);
    await fixture.edit('bob', message, { content: '@**all** @**Fay Here**!' });
    expect((await fixture.fetched('fay', message))?.flags).toEqual([
      'collapsed',
      'mentioned',
      'wildcard_mentioned',
    ]);
  });

  test('expands groups with their members at the time of the edit', async () => {
    const { pool } = fixture.all;
    const { rows } = await pool.query<{ id: number }>({
      text: "INSERT INTO user_groups (name, description) VALUES ('crew', '') RETURNING id",
    });
    const groupId = rows[0]?.id;
    const member = (who: Name): Promise<unknown> =>
      pool.query({
        text: 'INSERT INTO user_group_members (group_id, user_id) VALUES ($1, $2)',
        values: [groupId, fixture.people[who].id],
      });
    await member('dan');
    const id = await fixture.send('bob', 'lunch', '@*crew*');
    expect((await fixture.fetched('dan', id))?.flags).toEqual(['mentioned']);
    await pool.query({ text: 'DELETE FROM user_group_members' });
    await member('fay');
    await fixture.edit('bob', id, { content: 'hey @*crew*' });
    expect((await fixture.fetched('fay', id))?.flags).toEqual(['mentioned']);
    expect((await fixture.fetched('dan', id))?.flags).toEqual([]);
  });

  test('is found by its new words and links and no longer by the old ones', async () => {
    const id = await fixture.send('bob', 'lunch', 'quixotic');
    const found = async (operator: string, operand: string): Promise<boolean> => {
      const answer = await fixture.people.bob.client.get('messages', {
        anchor: id,
        num_before: 0,
        num_after: 0,
        narrow: [{ operator, operand }],
      });
      return (answer['messages'] as readonly unknown[]).length === 1;
    };
    await fixture.edit('bob', id, { content: 'perspicacious https://example.com' });
    const { rows } = await fixture.all.pool.query<{ old: boolean; new: boolean }>({
      text: `SELECT search @@ to_tsquery('english', 'quixotic') AS old, search @@ to_tsquery('english', 'perspicacious') AS new
        FROM messages WHERE id = $1`,
      values: [id],
    });
    expect(rows).toEqual([{ old: false, new: true }]);
    expect(await found('has', 'link')).toBe(true);
    await fixture.edit('bob', id, { content: '/me waves' });
    expect(await found('has', 'link')).toBe(false);
    expect(await fixture.fetched('bob', id)).toMatchObject({ is_me_message: true });
  });

  test('is normalised as documented', async () => {
    const stored = async (content: string): Promise<unknown> => {
      await fixture.edit('bob', message, { content });
      return fixture.raw('bob', message);
    };
    for (const blank of ['', ' \n\t ']) expect(await stored(blank)).toBe('(deleted)');
    expect(await stored(`  ${'日'.repeat(10_000)}  `)).toBe('日'.repeat(10_000));
    expect(await stored('x'.repeat(10_001))).toBe(`${'x'.repeat(9_980)}\n[message truncated]`);
    expect(await stored('same')).toBe('same');
    await fixture.queues.read();
    expect(await stored('same')).toBe('same');
    expect((await eventOf()).event).toMatchObject({ orig_content: 'same', content: 'same' });
  });

  test('of a private message changes for its participants, without a stream', async () => {
    const { bob, cat, dan } = fixture.people;
    const id = await bob.client.sendPrivately([cat.email, dan.email], 'psst');
    await fixture.queues.read();
    await fixture.edit('bob', id, {
      content: 'psst @**Fay Here** @**Robo Bot**',
      topic: 'ignored',
    });
    const { event, flags } = await eventOf();
    expect(flags).toEqual({ bob: [], cat: [], dan: [] });
    expect(event).toMatchObject({ message_ids: [id], orig_content: 'psst' });
    for (const key of ['stream_id', 'stream_name', 'subject', 'orig_subject', 'propagate_mode'])
      expect(event).not.toHaveProperty(key);
    expect(await fixture.fetched('cat', id)).toMatchObject({ subject: '' });
    await expectRefusal(fixture.edit('fay', id, { content: 'x' }), invalidMessage);
    await expectRefusal(fixture.edit('cat', id, { topic: 'x' }), noPermission);
    await expectRefusal(fixture.edit('ann', id, { topic: 'x' }), invalidMessage);
    await expectRefusal(fixture.edit('bob', id, { topic: 'x' }), 'Nothing to change');
  });

  test('makes a mentioned bot a permanent holder of the message, as read', async () => {
    expect(await fixture.fetched('bot', message)).toBeUndefined();
    await fixture.queues.read();
    await fixture.edit('bob', message, { content: '@**Robo Bot** @**Outgoing** @**Cat Moe**' });
    expect((await eventOf()).flags).toEqual({
      ...Object.fromEntries(subscribers.map((name) => [name, []])),
      bot: ['read', 'mentioned', 'historical'],
    });
    await fixture.edit('bob', message, { content: 'never mind' });
    expect((await eventOf()).flags['bot']).toEqual(['read', 'historical']);
    expect(await fixture.fetched('bot', message)).toMatchObject({ content: 'never mind' });
    expect(await fixture.fetched('cat', message)).toBeUndefined();
  });
});

describe('recipients of the event', () => {
  test.each([
    ['Denmark', true],
    ['shared', true],
    ['secret', false],
  ])(
    'in %s: holders, of a public stream also former subscribers, and newcomers if history is shared',
    async (stream, isShared) => {
      const id = await fixture.send('bob', 'lunch', 'hi', stream);
      await fixture.leave('dan', stream);
      await fixture.join('eve', stream);
      await fixture.queues.read();
      try {
        await fixture.edit('bob', id, { content: 'hello' });
        expect((await eventOf()).flags).toEqual({
          ...Object.fromEntries(subscribers.map((name) => [name, name === 'dan' ? ['read'] : []])),
          ...(stream === 'Denmark' ? {} : { dan: undefined }),
          ...(isShared ? { eve: ['read'] } : {}),
        });
        expect(await refusalOf(fixture.raw('guest', id))).toMatchObject({ msg: invalidMessage });
        if (!isShared) await expectRefusal(fixture.raw('eve', id), invalidMessage);
      } finally {
        await fixture.join('dan', stream);
        await fixture.leave('eve', stream);
        await fixture.queues.read();
      }
    },
  );

  test('users who starred it from outside the stream', async () => {
    await fixture.people.cat.client.flag([message], 'starred');
    await fixture.queues.read();
    await fixture.edit('bob', message, { content: 'hello' });
    expect((await eventOf()).flags).toMatchObject({ cat: ['read', 'starred', 'historical'] });
  });
});

describe('refusals', () => {
  test('if the organization permits no edits, before anything else', async () => {
    await fixture.withSettings({ allow_message_editing: false }, async () => {
      await expectRefusal(fixture.edit('bob', 999_999, {}), isOff);
      await expectRefusal(fixture.edit('ann', message, { topic: 'x' }), isOff);
      await expectRefusal(fixture.edit('bob', message, { content: 'x' }), isOff);
    });
  });

  test('of invisible messages, then of messages of others, even for administrators and owners of bots', async () => {
    const secret = await fixture.send('bob', 'lunch', 'hi', 'secret');
    for (const id of [secret, 999_999, 4_294_967_295])
      await expectRefusal(fixture.edit('cat', id, { content: 'x' }), invalidMessage);
    await expectRefusal(fixture.edit('guest', message, { topic: 'x' }), invalidMessage);
    await expectRefusal(fixture.edit('ann', message, { content: 'x' }), noPermission);
    const both = { content: 'x', topic: 'x' };
    await expectRefusal(fixture.edit('ann', message, both), noPermission);
    const ofBot = await fixture.send('bot', 'lunch', 'beep');
    await expectRefusal(fixture.edit('bob', ofBot, { content: 'x' }), noPermission);
    expect(await fixture.edit('bot', ofBot, { content: 'boop' })).toEqual(success);
    expect(await fixture.raw('bob', ofBot)).toBe('boop');
  });

  test('after the limit plus twenty seconds of grace; 0 means no limit', async () => {
    await fixture.age([message], 600 + 15);
    expect(await fixture.edit('bob', message, { content: 'in time' })).toEqual(success);
    await fixture.age([message], 600 + 25);
    await expectRefusal(fixture.edit('bob', message, { content: 'x' }), tooLate);
    await expectRefusal(fixture.edit('bob', message, { content: 'x', topic: '' }), tooLate);
    expect(await fixture.edit('bob', message, { topic: 'supper' })).toEqual(success);
    const ofAnn = await fixture.send('ann', 'lunch', 'hi');
    await fixture.age([ofAnn], 600 + 25);
    await expectRefusal(fixture.edit('ann', ofAnn, { content: 'x' }), tooLate);
    await fixture.withSettings({ message_content_edit_limit_seconds: 0 }, async () => {
      await fixture.age([message], 10_000_000);
      expect(await fixture.edit('bob', message, { content: 'late' })).toEqual(success);
    });
    await fixture.withSettings({ message_content_edit_limit_seconds: 60 }, async () => {
      await fixture.age([message], 85);
      await expectRefusal(fixture.edit('bob', message, { content: 'x' }), tooLate);
    });
  });

  test('of empty edits, blank topics and texts that cannot be stored', async () => {
    await expectRefusal(fixture.edit('bob', message, {}), 'Nothing to change');
    await expectRefusal(fixture.edit('cat', message, {}), 'Nothing to change');
    await expectRefusal(fixture.edit('bob', message, { topic: ' \t' }), "Topic can't be empty");
    await expectRefusal(
      fixture.edit('bob', message, { topic: '', content: '\0' }),
      "Topic can't be empty",
    );
    await expectRefusal(
      fixture.edit('bob', message, { content: 'a\0b' }),
      'Message must not contain null bytes',
    );
    expect(await refusalOf(fixture.edit('bob', message, { topic: 'a\0b' }))).toMatchObject({
      status: 400,
      code: 'REQUEST_VARIABLE_INVALID',
    });
    expect(await fixture.fetched('bob', message)).toMatchObject({ subject: 'lunch' });
  });
});
