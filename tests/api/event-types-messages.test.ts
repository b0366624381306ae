/** Every event about messages: its recipients and order for each operation (reference facts, events 11 and 18). */
import type { JsonObject } from '@parley/test-kit';
import { describe, test } from 'vitest';

import { anyNumber, inAnyOrder } from '../support/matchers.ts';
import { but, inside, useEventAudience } from './event-audience.ts';
import type { Body, EventAudience, Who } from './event-audience.ts';
import { flagsChanged, inPrivate, inStream, messageEvent } from './event-bodies.ts';
import type { Sent } from './event-bodies.ts';

let all: EventAudience;
const expectEvents = useEventAudience((made) => {
  all = made;
});

const insideBut = (...left: readonly Who[]): Who[] => but(inside, ...left);

async function say(from: Who, content: string, topic = 'lunch', stream = 'social'): Promise<Sent> {
  return { id: await all.client(from).sendToStream(stream, topic, content), from, content };
}

async function tell(from: Who, to: readonly Who[], content: string): Promise<Sent> {
  const body = await all.client(from).post('messages', {
    type: 'private',
    to: to.map((who) => all.id(who)),
    content,
  });
  return { id: body['id'] as number, from, content };
}

/** Sends and drops the events, so that only later events are compared. */
async function said(from: Who, content: string, topic?: string, stream?: string): Promise<Sent> {
  const sent = await say(from, content, topic, stream);
  await all.queues.readWithMessages();
  return sent;
}

function reaction(who: Who, messageId: number, op: 'add' | 'remove'): JsonObject {
  const { user } = all.people[who];
  return {
    type: 'reaction',
    op,
    message_id: messageId,
    emoji_name: 'tada',
    emoji_code: '1f389',
    reaction_type: 'unicode_emoji',
    user: { user_id: user.id, email: user.email, full_name: user.fullName },
    user_id: user.id,
  };
}

const react = (who: Who, id: number): Promise<JsonObject> =>
  all.client(who).post(`messages/${id}/reactions`, { emoji_name: 'tada' });

describe('sending', () => {
  test('to a public stream: its subscribers, including guests, and nobody else', async () => {
    const sent = await say('bob', 'hello');
    await expectEvents({ bodies: { it: inStream(all, sent, 'lunch') }, to: [[inside, 'it']] });
  });

  test('to a public stream from outside: its subscribers and not the sender', async () => {
    const sent = await say('out', 'hello from outside');
    await expectEvents({ bodies: { it: inStream(all, sent, 'lunch') }, to: [[inside, 'it']] });
  });

  test('to a private stream: its subscribers and not administrators outside', async () => {
    const sent = await say('bob', 'hush', 'lunch', 'closed');
    const it = inStream(all, sent, 'lunch');
    const message = {
      ...(it['message'] as JsonObject),
      display_recipient: 'closed',
      stream_id: all.streamIds.closed,
    };
    await expectEvents({ bodies: { it: messageEvent(message) }, to: [[inside, 'it']] });
  });

  test('to one person, a group or oneself: the participants', async () => {
    const one = await tell('bob', ['cat'], 'just you');
    const group = await tell('guest out', ['bob', 'bot'], 'you two');
    const self = await tell('out', ['out'], 'note');
    const byEmail = (['bob', 'cat'] as const).toSorted((a, b) =>
      all.email(a) < all.email(b) ? -1 : 1,
    );
    const byId = (['bob', 'bot', 'guest out'] as const).toSorted((a, b) => all.id(a) - all.id(b));
    await expectEvents({
      bodies: {
        one: inPrivate(all, one, byEmail),
        group: inPrivate(all, group, byId),
        self: inPrivate(all, self, ['out']),
      },
      to: [
        [['bob', 'cat'], 'one'],
        [['bob', 'bot', 'guest out'], 'group'],
        [['out'], 'self'],
      ],
    });
  });

  test('with mentions: flags for those mentioned, also a bot outside; people outside get nothing', async () => {
    const content = '@**Cat Moe** @**Robo Bot** @**Olga Out** @**Gil Guest**';
    const named = await say('bob', content);
    const everyone = await say('admin', '@**all**');
    await expectEvents({
      bodies: {
        named: (who) =>
          inStream(all, named, 'lunch', ['cat', 'bot'].includes(who) ? ['mentioned'] : []),
        everyone: inStream(all, everyone, 'lunch', ['wildcard_mentioned']),
      },
      to: [
        [inside, 'named everyone'],
        [['bot'], 'named'],
      ],
    });
  });

  test('by a client for people: read only for the sender', async () => {
    const body = await all.client('bob').post('messages', {
      type: 'stream',
      to: 'social',
      topic: 'lunch',
      content: 'typed',
      client: 'website',
    });
    const sent = { id: body['id'] as number, from: 'bob' as const, content: 'typed' };
    const message: Body = (who) => {
      const { message: body } = inStream(all, sent, 'lunch');
      return messageEvent(
        { ...(body as JsonObject), client: 'website' },
        who === 'bob' ? ['read'] : [],
      );
    };
    await expectEvents({ bodies: { sent: message }, to: [[inside, 'sent']] });
  });

  test('with a file: first the attachment to its owner, then the message', async () => {
    const { uri } = (await all.sendPicture('bob', 'user_uploads')) as { uri: string };
    const attachment = {
      id: anyNumber,
      name: 'a0.exe',
      path_id: uri.replace('/user_uploads/', ''),
      size: anyNumber,
      create_time: anyNumber,
    };
    const makeEvent = (op: string, messages: readonly unknown[]): JsonObject => ({
      type: 'attachment',
      op,
      attachment: { ...attachment, messages },
      upload_space_used: anyNumber,
    });
    await expectEvents({ bodies: { add: makeEvent('add', []) }, to: [[['bob'], 'add']] });
    const sent = await say('bob', `[picture](${uri})`);
    const bodies = {
      update: makeEvent('update', [{ id: sent.id, name: anyNumber }]),
      it: inStream(all, sent, 'lunch'),
    };
    await expectEvents({
      bodies,
      to: [
        [['bob'], 'update it'],
        [insideBut('bob'), 'it'],
      ],
    });
    await all.client('admin').delete(`messages/${sent.id}`);
    const gone = {
      type: 'delete_message',
      message_id: sent.id,
      sender: all.email('bob'),
      sender_id: all.id('bob'),
      message_type: 'stream',
      stream_id: all.streamIds.social,
      topic: 'lunch',
    };
    await expectEvents({
      bodies: { unlinked: makeEvent('update', []), gone },
      to: [
        [['bob'], 'unlinked gone'],
        [insideBut('bob'), 'gone'],
      ],
    });
    const { attachments } = await all.client('bob').get('attachments');
    const { id } = (attachments as { readonly id: number }[])[0] ?? { id: 0 };
    await all.client('bob').delete(`attachments/${id}`);
    const removed = { type: 'attachment', op: 'remove', attachment: { id }, upload_space_used: 0 };
    await expectEvents({ bodies: { removed }, to: [[['bob'], 'removed']] });
  });
});

describe('changing', () => {
  const edited = (sent: Sent, flags: readonly string[], change: JsonObject): JsonObject => ({
    type: 'update_message',
    user_id: all.id('bob'),
    sender: all.email('bob'),
    message_id: sent.id,
    message_ids: [sent.id],
    edit_timestamp: anyNumber,
    stream_name: 'social',
    stream_id: all.streamIds.social,
    flags,
    ...change,
  });
  const html = (text: string): string => `<p>${text}</p>`;
  const text = (before: string, after: string): JsonObject => ({
    orig_content: before,
    orig_rendered_content: html(before),
    prev_rendered_content_version: 1,
    content: after,
    rendered_content: html(after),
    is_me_message: false,
  });

  test('a text: holders with their own flags, late holders too; newer subscribers as read', async () => {
    const sent = await said('bob', 'hi');
    await react('out', sent.id);
    await all.client('cat').flag([sent.id], 'starred');
    await all.client('bot').subscribe('social');
    await all.forget();
    await all.client('bob').patch(`messages/${sent.id}`, { content: 'hello' });
    const flags: Partial<Record<Who, string[]>> = {
      cat: ['starred'],
      out: ['read', 'historical'],
      bot: ['read'],
    };
    await expectEvents({
      bodies: { it: (who) => edited(sent, flags[who] ?? [], text('hi', 'hello')) },
      to: [[[...inside, 'out', 'bot'], 'it']],
    });
    await all.client('bot').delete('users/me/subscriptions', { subscriptions: ['social'] });
  });

  test('a topic of several messages: one event, without a text', async () => {
    const first = await said('bob', 'one', 'old');
    const second = await said('cat', 'two', 'old');
    await all.client('bob').patch(`messages/${first.id}`, {
      topic: 'new',
      propagate_mode: 'change_all',
    });
    const moved = {
      orig_subject: 'old',
      subject: 'new',
      subject_links: [],
      propagate_mode: 'change_all',
      message_ids: [first.id, second.id],
    };
    await expectEvents({
      bodies: { moved: edited(first, [], moved) },
      to: [[inside, 'moved']],
    });
  });

  test('text and topic at once: one event with both', async () => {
    const sent = await said('bob', 'one', 'both');
    await all.client('bob').patch(`messages/${sent.id}`, { topic: 'other', content: 'two' });
    const both = {
      ...text('one', 'two'),
      orig_subject: 'both',
      subject: 'other',
      subject_links: [],
      propagate_mode: 'change_one',
    };
    await expectEvents({ bodies: { both: edited(sent, [], both) }, to: [[inside, 'both']] });
  });

  test('a private message: the participants, without a stream', async () => {
    const sent = await tell('bob', ['cat'], 'hi');
    await all.forget();
    await all.client('bob').patch(`messages/${sent.id}`, { content: 'hello' });
    const { stream_name: _name, stream_id: _id, ...it } = edited(sent, [], text('hi', 'hello'));
    await expectEvents({ bodies: { it }, to: [[['bob', 'cat'], 'it']] });
  });

  test('deleting: one event for each message, to its holders', async () => {
    const one = await said('bob', 'one', 'doomed');
    const two = await said('cat', 'two', 'doomed');
    const secret = await tell('bob', ['cat'], 'hi');
    await react('out', two.id);
    await all.forget();
    await all.client('admin').post(`streams/${all.streamIds.social}/delete_topic`, {
      topic_name: 'doomed',
    });
    await all.all.pool.query(
      `UPDATE realm SET settings = settings || '{"allow_message_deleting": true}'`,
    );
    await all.client('bob').delete(`messages/${secret.id}`);
    const gone = ({ id, from }: Sent, more: JsonObject): JsonObject => ({
      type: 'delete_message',
      message_id: id,
      sender: all.email(from),
      sender_id: all.id(from),
      ...more,
    });
    const stream = {
      message_type: 'stream',
      stream_id: all.streamIds.social,
      topic: 'doomed',
    };
    await expectEvents({
      bodies: {
        one: gone(one, stream),
        two: gone(two, stream),
        secret: gone(secret, { message_type: 'private', recipient_id: anyNumber }),
      },
      to: [
        [inside, 'one two'],
        [['out'], 'two'],
        [['bob', 'cat'], 'secret'],
      ],
    });
  });
});

describe('flags', () => {
  test('are sent only to the own account, also for a star on a message that it did not hold', async () => {
    const sent = await said('bob', 'flagged', 'flags');
    const change = (who: Who, op: string, flag: string): Promise<JsonObject> =>
      all.client(who).post('messages/flags', { messages: [sent.id], op, flag });
    await change('cat', 'add', 'read');
    await change('cat', 'remove', 'read');
    await change('out', 'add', 'starred');
    await all.client('guest in').post('mark_topic_as_read', {
      stream_id: all.streamIds.social,
      topic_name: 'flags',
    });
    await all.client('bot in').post('mark_all_as_read');
    await expectEvents({
      bodies: {
        read: flagsChanged('read', [sent.id]),
        unread: flagsChanged('read', [sent.id], 'remove'),
        star: flagsChanged('starred', [sent.id]),
        all: { ...flagsChanged('read', []), all: true },
      },
      to: [
        [['cat'], 'read unread'],
        [['out'], 'star'],
        [['guest in'], 'read'],
        [['bot in'], 'all'],
      ],
    });
  });

  test('marking a topic twice sends an empty list, which does not mean everything', async () => {
    await said('bob', 'again', 'twice');
    const mark = (): Promise<JsonObject> =>
      all.client('cat').post('mark_topic_as_read', {
        stream_id: all.streamIds.social,
        topic_name: 'twice',
      });
    await mark();
    await all.forget();
    await mark();
    const none = flagsChanged('read', []);
    await expectEvents({ bodies: { none }, to: [[['cat'], 'none']] });
  });
});

describe('reactions, submessages and typing', () => {
  test('a reaction: holders of the message; reacting from outside makes a holder', async () => {
    const sent = await said('bob', 'wow');
    await react('cat', sent.id);
    await react('out', sent.id);
    await all.client('cat').delete(`messages/${sent.id}/reactions`, { emoji_name: 'tada' });
    await expectEvents({
      bodies: {
        cat: reaction('cat', sent.id, 'add'),
        out: reaction('out', sent.id, 'add'),
        away: reaction('cat', sent.id, 'remove'),
      },
      to: [
        [inside, 'cat out away'],
        [['out'], 'out away'],
      ],
    });
  });

  test('reactions follow a message that is moved, to its holders', async () => {
    const sent = await said('bob', 'wow', 'from');
    await react('out', sent.id);
    await all.client('bob').patch(`messages/${sent.id}`, { topic: 'to' });
    await all.forget();
    await react('cat', sent.id);
    await expectEvents({
      bodies: { cat: reaction('cat', sent.id, 'add') },
      to: [[[...inside, 'out'], 'cat']],
    });
  });

  test('a submessage: holders of the message', async () => {
    const sent = await said('bob', '/poll Lunch?');
    await all.client('guest in').post('submessage', {
      message_id: sent.id,
      msg_type: 'widget',
      content: '{"type":"vote"}',
    });
    const vote = {
      type: 'submessage',
      message_id: sent.id,
      submessage_id: anyNumber,
      sender_id: all.id('guest in'),
      msg_type: 'widget',
      content: '{"type":"vote"}',
    };
    await expectEvents({ bodies: { vote }, to: [[inside, 'vote']] });
  });

  test('typing: the recipients and the sender', async () => {
    const typing = async (from: Who, op: string, to: readonly Who[]): Promise<JsonObject> => {
      const recipients = [from, ...to].map((who) => ({
        user_id: all.id(who),
        email: all.email(who),
      }));
      await all.client(from).post('typing', { op, to: to.map((who) => all.id(who)) });
      return { type: 'typing', op, sender: recipients[0], recipients: inAnyOrder(...recipients) };
    };
    const start = await typing('bob', 'start', ['cat', 'guest out']);
    const stop = await typing('out', 'stop', ['admin bot']);
    await expectEvents({
      bodies: { start, stop },
      to: [
        [['bob', 'cat', 'guest out'], 'start'],
        [['out', 'admin bot'], 'stop'],
      ],
    });
  });
});
