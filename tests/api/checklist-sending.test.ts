/** Sending in every form and with every role, by the checklist of the reference facts (messages 22). */
import type { TestAccount } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import type { Message } from './message-fixture.ts';
import { expectRefusal, unknownStream } from './refusals.ts';

let denmark: number;
const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat } = all;
  denmark = (await organization.makeStream('Denmark', [ann, bob])).id;
  await organization.makeStream('x, y', [ann]);
  await organization.makeStream('secret', [bob, cat], { inviteOnly: true });
});

type Form = Record<string, unknown>;

async function send(account: TestAccount, form: Form): Promise<number> {
  return (await account.client.post('messages', form))['id'] as number;
}

const toStream = (to: unknown, more: Form = {}): Form => ({
  type: 'stream',
  to,
  topic: 'lunch',
  content: 'hello',
  ...more,
});
const toPeople = (to: unknown, more: Form = {}): Form => ({
  type: 'private',
  to,
  content: 'hello',
  ...more,
});

async function fetched(account: TestAccount, id: number, more: Form = {}): Promise<Message> {
  const { messages } = await fetchMessages(account, { anchor: id, num_before: 0, ...more });
  const [message] = messages;
  if (message?.id !== id) throw new Error(`${account.email} does not hold message ${id}`);
  return message;
}

const idsOf = (people: readonly TestAccount[]): number[] =>
  people.map(({ id }) => id).toSorted((a, b) => a - b);

function recipientIds(message: Message): unknown[] {
  const people = message['display_recipient'] as readonly { readonly id: number }[];
  return people.map((person) => person.id).toSorted((a, b) => a - b);
}

describe('forms of a send', () => {
  test('every form of a stream names the same stream; a name with a comma needs a list', async () => {
    const { ann, bob } = all;
    for (const to of [
      'Denmark',
      '"Denmark"',
      '["Denmark"]',
      `[${denmark}]`,
      `${denmark}`,
      ' denmark ',
    ]) {
      const message = await fetched(bob, await send(ann, toStream(to)));
      expect(message).toMatchObject({ display_recipient: 'Denmark', stream_id: denmark });
    }
    expect(await fetched(ann, await send(ann, toStream(['x, y'])))).toMatchObject({
      display_recipient: 'x, y',
    });
    await expectRefusal(send(ann, toStream('x, y')), 'Cannot send to multiple streams');
  });

  test('every form of people names the same people, without duplicates and blanks', async () => {
    const { ann, bob, cat } = all;
    const forms = [
      'bob@example.com, cat@example.com',
      ' bob@example.com,,CAT@example.com , ,bob@example.com',
      '"bob@example.com,cat@example.com"',
      ['bob@example.com', ' cat@example.com ', '', 'BOB@example.com'],
      [bob.id, cat.id, bob.id],
      [cat.id, ann.id, bob.id],
    ];
    const messages = [];
    for (const to of forms) messages.push(await fetched(bob, await send(ann, toPeople(to))));
    for (const message of messages) {
      expect(recipientIds(message)).toEqual(idsOf([ann, bob, cat]));
      expect(message).toMatchObject({ subject: '', subject_links: [], type: 'private' });
      expect(message).not.toHaveProperty('stream_id');
    }
    expect(new Set(messages.map((message) => message['recipient_id'])).size).toBe(1);
    expect(recipientIds(await fetched(bob, await send(ann, toPeople(bob.id))))).toEqual(
      idsOf([ann, bob]),
    );
  });

  test('topic and subject are equivalent, and so are channel and stream, and direct and private', async () => {
    const { ann, bob } = all;
    const { topic, ...rest } = toStream('Denmark');
    const ids = [
      await send(ann, { ...rest, topic }),
      await send(ann, { ...rest, subject: topic }),
      await send(ann, { ...rest, topic, type: 'channel' }),
    ];
    for (const id of ids) expect(await fetched(bob, id)).toMatchObject({ subject: 'lunch' });
    const direct = await send(ann, toPeople([bob.id], { type: 'direct', topic: 'ignored' }));
    expect(await fetched(bob, direct)).toMatchObject({ type: 'private', subject: '' });
  });

  test('a /me message begins with /me and a space', async () => {
    const { ann, bob } = all;
    for (const [content, isMe] of [
      ['/me waves', true],
      ['/mex', false],
      ['say /me x', false],
    ] as const) {
      const message = await fetched(bob, await send(ann, toPeople([bob.id], { content })));
      expect(message['is_me_message']).toBe(isMe);
    }
  });
});

describe('who may send', () => {
  const notAuthorized = (name: string): string => `Not authorized to send to stream '${name}'`;

  test('a member may send to a public stream without subscribing, and gets no event or receipt', async () => {
    const { ann, bob, cat } = all;
    const outside = await FollowedQueue.open(cat.client, { event_types: ['message'] });
    const inside = await FollowedQueue.open(bob.client, { event_types: ['message'] });
    const id = await send(
      cat,
      toStream('Denmark', { content: 'from outside @**all** @**Cat Moe**' }),
    );
    const marker = await send(ann, toPeople([cat.id]));
    expect((await outside.next(1)).map((event) => event['message'])).toMatchObject([
      { id: marker },
    ]);
    expect(await inside.next(1)).toMatchObject([
      { message: { id }, flags: ['wildcard_mentioned'] },
    ]);
    expect((await fetchMessages(cat)).ids).not.toContain(id);
    const inStream = await fetchMessages(cat, { narrow: [['stream', 'Denmark']] });
    expect(inStream.messages.at(-1)).toMatchObject({ id, flags: ['read', 'historical'] });
    expect((await fetchMessages(cat, { narrow: [['is', 'mentioned']] })).ids).toEqual([]);
  });

  test('an administrator who is not in a private stream is refused, by name and by id', async () => {
    const { ann, bob } = all;
    await expectRefusal(send(ann, toStream('SECRET')), notAuthorized('secret'));
    await expectRefusal(
      send(ann, toStream([await bob.client.streamId('secret')])),
      notAuthorized('secret'),
    );
  });

  test("a bot may send to its owner's streams, until the owner leaves", async () => {
    const { organization, ann, bob, cat, bot } = all;
    const foreign = await organization.makeAccount('Foreign Bot', { botType: 1, owner: ann });
    const hook = await organization.makeAccount('Hook Bot', { botType: 2, owner: cat });
    const id = await send(bot, toStream('secret'));
    // The bot may send but holds nothing, because its owner is subscribed and not the bot.
    expect((await fetchMessages(bot)).ids).not.toContain(id);
    expect(await fetched(bob, id)).toMatchObject({ sender_id: bot.id });
    await send(hook, toStream('secret'));
    await expectRefusal(send(foreign, toStream('secret')), unknownStream('secret'));
    await cat.client.unsubscribe('secret');
    await expectRefusal(send(hook, toStream('secret')), unknownStream('secret'));
    await bob.client.subscribe('secret', { principals: [cat.email] });
    await send(hook, toStream('secret'));
  });

  test('a guest may send only to subscribed streams, public or private', async () => {
    const { organization, guest, bob } = all;
    const open = await organization.makeStream('open', [bob]);
    await organization.makeStream('guest room', [guest], { inviteOnly: true });
    await send(guest, toStream('guest room'));
    await expectRefusal(send(guest, toStream('open')), unknownStream('open'));
    await organization.maker.subscribe(open.id, [guest.id]);
    const id = await send(guest, toStream('open'));
    expect(await fetched(guest, id)).toMatchObject({ display_recipient: 'open' });
    await guest.client.unsubscribe('open');
    await expectRefusal(send(guest, toStream('open')), unknownStream('open'));
    // Guests may write to people, and people to guests.
    expect(await fetched(bob, await send(guest, toPeople([bob.id])))).toMatchObject({
      sender_id: guest.id,
    });
  });

  test('only administrators and their bots may send to an announcement-only stream', async () => {
    const { organization, ann, bob, bot, guest } = all;
    await organization.makeStream('news', [bob, guest], { isAnnouncementOnly: true });
    const annsBot = await organization.makeAccount('Anns Bot', { botType: 1, owner: ann });
    const chief = await organization.makeAccount('Chief Bot', {
      botType: 1,
      owner: bob,
      role: 'administrator',
    });
    for (const account of [ann, annsBot, chief]) await send(account, toStream('news'));
    for (const account of [bob, bot, guest])
      await expectRefusal(
        send(account, toStream('news')),
        'Only organization administrators can send to this stream.',
      );
  });
});

describe('an event', () => {
  test('has flags beside the message, which equals the fetched one', async () => {
    const { ann, bob, cat } = all;
    const queue = await FollowedQueue.open(bob.client, {
      event_types: ['message'],
      apply_markdown: true,
    });
    const ids = [
      await send(
        ann,
        toStream('Denmark', { content: 'see **this** @**Bob Ray** https://a.example' }),
      ),
      await send(ann, toPeople([bob.id, cat.id], { content: '/me waves :smile:' })),
      await send(cat, toPeople([bob.id])),
      await send(bob, toPeople([bob.id], { client: 'website' })),
    ];
    const events = await queue.next(ids.length);
    for (const [n, id] of ids.entries()) {
      const { flags, ...message } = await fetched(bob, id, { apply_markdown: true });
      expect(events[n]).toEqual({ type: 'message', flags, message });
    }
    expect(events.map((event) => event['flags'])).toEqual([['mentioned'], [], [], ['read']]);
  });

  test('has a null avatar for clients that make Gravatars, and a versioned address for others', async () => {
    const { ann, bob } = all;
    const id = await send(ann, toPeople([bob.id]));
    expect((await fetched(bob, id, { client_gravatar: true }))['avatar_url']).toBeNull();
    expect((await fetched(bob, id))['avatar_url']).toMatch(
      /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/,
    );
    await all.pool.query(`UPDATE users SET avatar_source = 'U', avatar_version = 3 WHERE id = $1`, [
      ann.id,
    ]);
    for (const client_gravatar of [true, false]) {
      expect((await fetched(bob, id, { client_gravatar }))['avatar_url']).toMatch(
        /^\/user_avatars\/1\/\S+\.png\?x=x&version=3$/,
      );
    }
    await all.pool.query(`UPDATE users SET avatar_source = 'G', avatar_version = 1 WHERE id = $1`, [
      ann.id,
    ]);
  });
});
