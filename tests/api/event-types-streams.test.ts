/** Every event about streams and subscriptions: its recipients and order for each operation (reference facts, events 12 and 18). */
import type { JsonObject, Parameters } from '@parley/test-kit';
import { describe, test } from 'vitest';

import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { but, members, useEventAudience } from './event-audience.ts';
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

let all: EventAudience;
const expectEvents = useEventAudience((made) => {
  all = made;
});

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

describe('the settings of a subscription', () => {
  test('are sent to the own queues, muting under its older name, changed or not', async () => {
    const id = all.streamIds.social;
    const set = (property: string, value: unknown): JsonObject => ({
      property,
      value,
      stream_id: id,
    });
    await all.client('bob').post(`${path}/properties`, {
      subscription_data: [
        set('is_muted', true),
        set('in_home_view', true),
        set('color', '#123abc'),
        set('pin_to_top', false),
      ],
    });
    const makeEvent = (property: string, value: unknown): JsonObject => ({
      type: 'subscription',
      op: 'update',
      email: all.email('bob'),
      stream_id: id,
      name: 'social',
      property,
      value,
    });
    const bodies = {
      muted: makeEvent('in_home_view', false),
      unmuted: makeEvent('in_home_view', true),
      color: makeEvent('color', '#123abc'),
      pin: makeEvent('pin_to_top', false),
    };
    await expectEvents({ bodies, to: [[['bob'], 'muted unmuted color pin']] });
  });

  test('muted topics are sent to the own queues, the whole list each time', async () => {
    const mute = (topic: string, op: string): Promise<JsonObject> =>
      all.client('bob').patch(`${path}/muted_topics`, { stream: 'social', topic, op });
    await mute('lunch', 'add');
    await mute('tea', 'add');
    await mute('lunch', 'remove');
    const makeEvent = (...topics: readonly string[]): JsonObject => ({
      type: 'muted_topics',
      muted_topics: topics.map((topic) => ['social', topic]),
    });
    await expectEvents({
      bodies: { one: makeEvent('lunch'), two: makeEvent('lunch', 'tea'), left: makeEvent('tea') },
      to: [[['bob'], 'one two left']],
    });
  });
});
