/** Events about streams, subscriptions and default streams: who receives them, in which order (reference facts, events 12 and 18). */
import { settle } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { describe, test } from 'vitest';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { but, inside, members, useEventAudience } from './event-audience.ts';
import type { Body, EventAudience, Who } from './event-audience.ts';
import {
  closedStream,
  flagsChanged,
  freshSubscription,
  notice,
  ofStream,
  peerEvent,
  stream,
} from './event-bodies.ts';

const all = useEventAudience();
const expectEvents: EventAudience['expectEvents'] = (expected) => all.expectEvents(expected);

const emails = (people: readonly Who[]): string[] => people.map((who) => all.email(who));

const path = 'users/me/subscriptions';
function join(
  who: Who,
  name: string,
  principals: readonly Who[],
  more: Parameters = {},
): Promise<JsonObject> {
  return all.client(who).post(path, {
    subscriptions: [{ name }],
    principals: emails(principals),
    ...more,
  });
}

function leave(who: Who, name: string, principals?: readonly Who[]): Promise<JsonObject> {
  return all.client(who).delete(path, {
    subscriptions: [name],
    principals: principals === undefined ? undefined : emails(principals),
  });
}

const idOf = (name: string): Promise<number> => all.client('bob').streamId(name);

function added(object: JsonObject, subscribers: readonly Who[]): JsonObject {
  const subscription = {
    ...object,
    color: textMatching(/^#[0-9a-f]{6}$/),
    ...freshSubscription,
    subscribers: subscribers.map((who) => all.id(who)).toSorted((a, b) => a - b),
  };
  return { type: 'subscription', op: 'add', subscriptions: [subscription] };
}

const peer = (op: 'peer_add' | 'peer_remove', name: string, id: number, who: Who): JsonObject =>
  peerEvent(op, name, id, all.id(who));

const removed = (name: string, id: number): JsonObject => ({
  type: 'subscription',
  op: 'remove',
  subscriptions: [{ name, stream_id: id }],
});

const read = (messages: unknown): JsonObject => flagsChanged('read', messages);

const silently = (who: Who): string => `@_**${all.people[who].user.fullName}|${all.id(who)}**`;

/** The notice to a person whom somebody else subscribed to a stream. */
function subscribedNotice(name: string, actor: Who): Body {
  return (who) => {
    const { user } = all.people[who];
    const {
      subject: _subject,
      stream_id: _id,
      ...message
    } = (notice(name, 0, '', actor)(who) as { readonly message: JsonObject }).message;
    const person = {
      id: user.id,
      email: user.email,
      full_name: user.fullName,
      short_name: user.shortName,
    };
    const bot = {
      id: anyNumber,
      email: textMatching(/^notification-bot@/),
      full_name: 'Notification Bot',
      short_name: anyString,
    };
    return {
      type: 'message',
      flags: [],
      message: {
        ...message,
        type: 'private',
        subject: '',
        content: `@**${all.people[actor].user.fullName}|${all.id(actor)}** subscribed you to #**${name}**.`,
        display_recipient: (user.email < 'notification-bot' ? [person, bot] : [bot, person]).map(
          (taking) => ({ ...taking, is_mirror_dummy: false }),
        ),
      },
    };
  };
}

describe('subscribing', () => {
  test('creates a public stream: create, occupy, add, peer_add, then the notice', async () => {
    await join('bob', 'fresh', ['bob', 'guest in']);
    const id = await idOf('fresh');
    const object = stream('fresh', id);
    await expectEvents({
      bodies: {
        create: ofStream('create', object),
        occupy: ofStream('occupy', object),
        add: added(object, ['bob', 'guest in']),
        bob: peer('peer_add', 'fresh', id, 'bob'),
        guest: peer('peer_add', 'fresh', id, 'guest in'),
        notice: notice('fresh', id, `Stream created by ${silently('bob')}.`, 'bob'),
      },
      to: [
        [['bob'], 'create occupy add notice'],
        [['guest in'], 'add notice'],
        [but(members, 'bob'), 'create occupy bob guest'],
      ],
    });
  });

  test('to an existing public stream: add and peer_add, and a private notice if somebody else subscribed the user', async () => {
    const id = await idOf('fresh');
    const object = stream('fresh', id, { first_message_id: anyNumber });
    await join('bob', 'fresh', ['cat', 'bot']);
    await expectEvents({
      bodies: {
        add: added(object, ['bob', 'cat', 'guest in', 'bot']),
        cat: peer('peer_add', 'fresh', id, 'cat'),
        bot: peer('peer_add', 'fresh', id, 'bot'),
        notice: subscribedNotice('fresh', 'bob'),
      },
      to: [
        [['cat'], 'add notice'],
        [['bot'], 'add'],
        [but(members, 'cat', 'bot'), 'cat bot'],
        // A guest gets the subscribers of the guest's own streams.
        [['guest in'], 'cat bot'],
      ],
    });
    await join('bob', 'fresh', ['cat', 'bot']);
    await expectEvents({ bodies: {}, to: [] });
  });

  test('creates a private stream: create for administrators, then for its members, add, peer_add', async () => {
    await join('bob', 'hidden', ['bob', 'guest out'], { invite_only: true });
    const id = await idOf('hidden');
    const object = closedStream('hidden', id);
    await expectEvents({
      bodies: {
        create: ofStream('create', object),
        add: added(object, ['bob', 'guest out']),
        bob: peer('peer_add', 'hidden', id, 'bob'),
        guest: peer('peer_add', 'hidden', id, 'guest out'),
        notice: notice('hidden', id, `Stream created by ${silently('bob')}.`, 'bob'),
      },
      to: [
        [['bob', 'guest out'], 'create add notice'],
        [['admin', 'admin bot'], 'create bob guest'],
      ],
    });
  });

  test('to an existing private stream: first create; then peer_add for subscribers and administrators', async () => {
    const id = await idOf('hidden');
    const object = closedStream('hidden', id, { first_message_id: anyNumber });
    await join('bob', 'hidden', ['out', 'admin']);
    await expectEvents({
      bodies: {
        create: ofStream('create', object),
        add: added(object, ['bob', 'guest out', 'admin', 'out']),
        admin: peer('peer_add', 'hidden', id, 'admin'),
        out: peer('peer_add', 'hidden', id, 'out'),
        notice: subscribedNotice('hidden', 'bob'),
      },
      to: [
        [['out'], 'create add notice'],
        // Administrators know of it already.
        [['admin'], 'add notice'],
        [['bob', 'guest out', 'admin bot'], 'admin out'],
      ],
    });
  });
});

describe('unsubscribing', () => {
  test('from a public stream: remove and peer_remove, and unread messages are read; the last one vacates it', async () => {
    const id = await idOf('fresh');
    await leave('cat', 'fresh');
    await expectEvents({
      bodies: {
        remove: removed('fresh', id),
        peer: peer('peer_remove', 'fresh', id, 'cat'),
        read: read([]),
      },
      to: [
        [['cat'], 'remove read'],
        [[...but(members, 'cat'), 'guest in'], 'peer'],
      ],
    });
    await leave('admin', 'fresh', ['bob', 'guest in', 'bot']);
    await expectEvents({
      bodies: {
        remove: removed('fresh', id),
        bob: peer('peer_remove', 'fresh', id, 'bob'),
        guest: peer('peer_remove', 'fresh', id, 'guest in'),
        bot: peer('peer_remove', 'fresh', id, 'bot'),
        vacate: ofStream('vacate', stream('fresh', id, { first_message_id: anyNumber })),
        read: (who) => read(who === 'guest in' ? [anyNumber] : []),
      },
      to: [
        // A removed user still sees a public stream, and gets the events of the others.
        [['bob'], 'remove guest bot vacate read'],
        [['bot'], 'remove bob guest vacate read'],
        [['guest in'], 'remove read'],
        [but(members, 'bob', 'bot'), 'bob guest bot vacate'],
      ],
    });
  });

  test('a new subscriber occupies an empty public stream', async () => {
    const id = await idOf('fresh');
    const object = stream('fresh', id, { first_message_id: anyNumber });
    await join('out', 'fresh', ['out']);
    await expectEvents({
      bodies: {
        occupy: ofStream('occupy', object),
        add: added(object, ['out']),
        peer: peer('peer_add', 'fresh', id, 'out'),
      },
      to: [
        [['out'], 'occupy add'],
        [but(members, 'out'), 'occupy peer'],
      ],
    });
  });

  test('the last members of a private stream: it is deleted for administrators and for them', async () => {
    const id = await idOf('hidden');
    await leave('admin', 'hidden', ['bob', 'guest out', 'admin', 'out']);
    const gone = (firstMessageId: unknown): JsonObject =>
      ofStream('delete', closedStream('hidden', id, { first_message_id: firstMessageId }));
    await expectEvents({
      bodies: {
        remove: removed('hidden', id),
        bob: peer('peer_remove', 'hidden', id, 'bob'),
        guest: peer('peer_remove', 'hidden', id, 'guest out'),
        admin: peer('peer_remove', 'hidden', id, 'admin'),
        out: peer('peer_remove', 'hidden', id, 'out'),
        delete: gone(anyNumber),
        // Former members get the event without the id of the first message.
        ended: gone(null),
        read: (who) => read(who === 'guest out' ? [anyNumber] : []),
      },
      to: [
        // Register lists the stream as left for them.
        [['bob', 'guest out', 'out'], 'remove ended read'],
        [['admin'], 'remove bob out guest delete read'],
        [['admin bot'], 'bob admin out guest delete'],
      ],
    });
  });
});

const administrators: readonly Who[] = ['admin', 'admin bot'];

const updated = (name: string, id: number, more: JsonObject): JsonObject => ({
  type: 'stream',
  op: 'update',
  stream_id: id,
  name,
  ...more,
});
const change = (id: number, wish: Parameters): Promise<JsonObject> =>
  all.client('admin').patch(`streams/${id}`, wish);

/** The streams as the first two tests leave them. */
const social = (): JsonObject =>
  stream('social', all.streamIds.social, {
    description: '*new*',
    rendered_description: '<p><em>new</em></p>',
    first_message_id: anyNumber,
  });
const closed = (): JsonObject =>
  closedStream('closed', all.streamIds.closed, {
    description: 'x',
    rendered_description: '<p>x</p>',
  });

describe('changing a stream', () => {
  test('a public one: everybody who can see it; a rename under the old name, address first; then the notice', async () => {
    const id = all.streamIds.social;
    await change(id, { description: '*new*' });
    await change(id, { new_name: 'Social' });
    await settle();
    await change(id, { is_announcement_only: true });
    const { user } = all.people.admin;
    const renamed = `@_**${user.fullName}|${user.id}** renamed this stream from **social** to **Social**.`;
    await expectEvents({
      bodies: {
        text: updated('social', id, {
          property: 'description',
          value: '*new*',
          rendered_description: '<p><em>new</em></p>',
        }),
        address: updated('social', id, { property: 'email_address', value: '' }),
        name: updated('social', id, { property: 'name', value: 'Social' }),
        notice: notice('Social', id, renamed, 'admin'),
        closed: updated('Social', id, { property: 'is_announcement_only', value: true }),
      },
      to: [
        [inside, 'text address name notice closed'],
        [['out', 'bot', 'admin bot'], 'text address name closed'],
      ],
    });
    await change(id, { new_name: 'social', is_announcement_only: false });
  });

  test('a private one: subscribers and administrators', async () => {
    const id = all.streamIds.closed;
    await change(id, { description: 'x' });
    const text = updated('closed', id, {
      property: 'description',
      value: 'x',
      rendered_description: '<p>x</p>',
    });
    await expectEvents({ bodies: { text }, to: [[[...inside, 'admin bot'], 'text']] });
  });

  test('its privacy: everybody who can see it afterwards; create for those who gain it, delete for those who lose it', async () => {
    const id = all.streamIds.social;
    await change(id, { is_private: true });
    await change(id, { is_private: false });
    await change(id, { is_private: true, history_public_to_subscribers: true });
    const makeEvent = (inviteOnly: boolean, isShared: boolean): JsonObject =>
      updated('social', id, {
        property: 'invite_only',
        value: inviteOnly,
        history_public_to_subscribers: isShared,
      });
    const subscribers = inside.toSorted((a, b) => all.id(a) - all.id(b));
    const peers = Object.fromEntries(
      subscribers.map((who, n) => [`peer${n}`, peerEvent('peer_add', 'social', id, all.id(who))]),
    );
    await expectEvents({
      bodies: {
        closed: makeEvent(true, false),
        open: makeEvent(false, true),
        shared: makeEvent(true, true),
        delete: ofStream('delete', social()),
        create: ofStream('create', social()),
        ...peers,
      },
      to: [
        [[...inside, 'admin bot'], 'closed open shared'],
        [['out', 'bot'], `delete create open ${Object.keys(peers).join(' ')} delete`],
      ],
    });
    await change(id, { is_private: false });
  });
});

describe('default streams', () => {
  const list = (...streams: readonly JsonObject[]): JsonObject => ({
    type: 'default_streams',
    default_streams: streams,
  });
  test('a private one is only in the list of administrators', async () => {
    await all.client('admin').post('default_streams', { stream_name: 'closed' });
    await all.client('admin').delete('default_streams', { stream_name: 'closed' });
    await expectEvents({
      bodies: { without: list(), with: list(closed()) },
      to: [
        [administrators, 'with without'],
        [but(members, ...administrators), 'without without'],
      ],
    });
  });
});
