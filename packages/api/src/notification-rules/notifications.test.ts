/** One row for each rule and for each two rules that meet; properties over all inputs. */
import type { FetchedMessage } from '../messages/index.ts';
import type { RegisterState } from '../events/index.ts';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';

import { channels, notificationsFor } from './notifications.ts';
import type { Attention, JudgedMessage, Notifications, Recipient } from './notifications.ts';

type Situation = {
  readonly message: JudgedMessage;
  readonly recipient: Recipient;
  readonly attention: Attention;
};

type Change = {
  readonly type?: JudgedMessage['type'];
  readonly senderId?: number;
  readonly flags?: JudgedMessage['flags'];
  readonly settings?: Partial<Recipient['settings']>;
  /** null: not subscribed. */
  readonly subscription?: Partial<Recipient['subscription']> | null;
  readonly hasMutedTopic?: boolean;
  readonly hasMutedSender?: boolean;
  readonly attention?: Partial<Attention>;
};

const recipientId = 7;

const defaultSettings: Recipient['settings'] = {
  enable_stream_desktop_notifications: false,
  enable_stream_audible_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_email_notifications: false,
  enable_desktop_notifications: true,
  enable_sounds: true,
  enable_offline_push_notifications: true,
  enable_online_push_notifications: false,
  enable_offline_email_notifications: true,
  wildcard_mentions_notify: true,
  desktop_icon_count_display: 3,
};

const plainSubscription = {
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
  is_muted: false,
};

/** A message without flags in a stream that the recipient subscribes to and does not look at, with everything that the change says. */
function situationWith(change: Change): Situation {
  const { type = 'stream', subscription = {} } = change;
  return {
    message: { type, sender_id: change.senderId ?? 1, flags: change.flags ?? [] },
    recipient: {
      userId: recipientId,
      settings: { ...defaultSettings, ...change.settings },
      subscription:
        type === 'private' || subscription === null
          ? undefined
          : { ...plainSubscription, ...subscription },
      hasMutedTopic: change.hasMutedTopic ?? false,
      hasMutedSender: change.hasMutedSender ?? false,
    },
    attention: {
      isIdle: false,
      isWindowFocused: false,
      isInShownNarrow: false,
      ...change.attention,
    },
  };
}

function judge({ message, recipient, attention }: Situation): Notifications {
  return notificationsFor(message, recipient, attention);
}

const flags: ReadonlySet<string> = new Set(
  'mentioned wildcard_mentioned has_alert_word read starred collapsed historical'.split(' '),
);

/** What each word says of a situation. */
const wordsOfChange: Readonly<Record<string, Change>> = {
  plain: {},
  private: { type: 'private' },
  own: { senderId: recipientId },
  unsubscribed: { subscription: null },
  muted_topic: { hasMutedTopic: true },
  muted_sender: { hasMutedSender: true },
  idle: { attention: { isIdle: true } },
  focused: { attention: { isWindowFocused: true } },
  shown: { attention: { isInShownNarrow: true } },
};

/** Words of the table above, flags, and settings of the reader or (after `stream.`) of the subscription. */
function readChange(text: string): Change {
  const change: Record<string, unknown> = {};
  const add = (key: string, members: object): void => {
    change[key] = { ...(change[key] as object | undefined), ...members };
  };
  for (const word of text.split(' ')) {
    const { attention, ...known } = wordsOfChange[word] ?? {};
    const [, ofStream, setting = '', value] = /^(stream\.)?(\w+)=(true|false)$/.exec(word) ?? [];
    if (value !== undefined)
      add(ofStream === undefined ? 'settings' : 'subscription', { [setting]: value === 'true' });
    else if (flags.has(word)) change['flags'] = [...((change['flags'] ?? []) as string[]), word];
    else if (word in wordsOfChange) Object.assign(change, known);
    else throw new Error(`${word} says nothing`);
    if (attention !== undefined) add('attention', attention);
  }
  return change;
}

/** The cells of a table's rows; lines with `#` say what follows. */
function rowsOf(table: string): string[][] {
  return table
    .split('\n')
    .filter((line) => line.includes('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** `REASON by CHANNEL CHANNEL, REASON by CHANNEL`, or `nothing` */
function readNotifications(text: string): object {
  return Object.fromEntries(
    text.split(', ').flatMap((part) => {
      const [reason, channels = ''] = part.split(' by ');
      return reason === 'nothing' ? [] : channels.split(' ').map((channel) => [channel, reason]);
    }),
  );
}

const rows = rowsOf(`
  # Reasons.
  a private message | private | private_message by desktop sound
  a mention | mentioned | mention by desktop sound
  a wildcard mention | wildcard_mentioned | wildcard_mention by desktop sound
  an alert word | has_alert_word | alert_word by desktop sound
  a message in a stream | plain | nothing
  a mention is stronger than a wildcard | wildcard_mentioned mentioned | mention by desktop sound
  a wildcard is stronger than an alert word | has_alert_word wildcard_mentioned | wildcard_mention by desktop sound
  that it is private is stronger than a mention | private mentioned | private_message by desktop sound
  other flags are no reason | starred collapsed historical | nothing

  # Nothing at all.
  an own message | private own | nothing
  an own message that mentions its sender | own mentioned | nothing
  a read message | read mentioned | nothing
  a mention by a muted user | muted_sender mentioned | nothing
  a private message of a muted user | private muted_sender | nothing
  a message on the screen | focused shown mentioned | nothing
  one in another narrow | focused mentioned | mention by desktop sound
  one in the narrow of a window without focus | shown mentioned | mention by desktop sound

  # Desktop and sound.
  no desktop notifications | private enable_desktop_notifications=false | private_message by sound
  no sounds | mentioned enable_sounds=false | mention by desktop

  # Streams: the setting for all of them, and a stream's own.
  all streams on the desktop | enable_stream_desktop_notifications=true | stream by desktop
  all streams with sound | enable_stream_audible_notifications=true | stream by sound
  this stream on the desktop | stream.desktop_notifications=true | stream by desktop
  this stream with sound | stream.audible_notifications=true | stream by sound
  all streams but this one | enable_stream_desktop_notifications=true enable_stream_audible_notifications=true stream.desktop_notifications=false stream.audible_notifications=false | nothing
  all streams, without a subscription | enable_stream_desktop_notifications=true unsubscribed | nothing
  this stream, without desktop notifications otherwise | mentioned enable_desktop_notifications=false stream.desktop_notifications=true | stream by desktop, mention by sound
  a mention in a stream that does not notify | mentioned stream.desktop_notifications=false | mention by desktop sound

  # Wildcard mentions: the setting, and a stream's own.
  no wildcards | wildcard_mentioned wildcard_mentions_notify=false | nothing
  no wildcards of this stream | wildcard_mentioned stream.wildcard_mentions_notify=false | nothing
  no wildcards but of this stream | wildcard_mentioned wildcard_mentions_notify=false stream.wildcard_mentions_notify=true | wildcard_mention by desktop sound
  no wildcards, in a stream that notifies | wildcard_mentioned stream.wildcard_mentions_notify=false stream.desktop_notifications=true | stream by desktop
  no wildcards, but a mention | mentioned wildcard_mentioned wildcard_mentions_notify=false | mention by desktop sound
  no wildcards, but an alert word | wildcard_mentioned has_alert_word wildcard_mentions_notify=false | alert_word by desktop sound

  # Muting.
  a mention in a muted stream | mentioned stream.is_muted=true | mention by desktop sound
  a mention in a muted topic | muted_topic mentioned | mention by desktop sound
  a wildcard in a muted stream | wildcard_mentioned stream.is_muted=true | nothing
  a wildcard in a muted topic | muted_topic wildcard_mentioned | nothing
  an alert word in a muted stream | has_alert_word stream.is_muted=true | nothing
  an alert word in a muted topic | muted_topic has_alert_word | nothing
  a muted stream that notifies | stream.is_muted=true stream.desktop_notifications=true | nothing
  a muted topic of a stream that notifies | muted_topic stream.desktop_notifications=true | nothing

  # Push and mail.
  idle: a private message | idle private | private_message by desktop sound push email
  idle: a mention | idle mentioned | mention by desktop sound push email
  idle: a wildcard mention | idle wildcard_mentioned | wildcard_mention by desktop sound push email
  idle: an alert word | idle has_alert_word | alert_word by desktop sound
  idle: a message in a stream | idle | nothing
  idle: a mention in a muted stream | idle mentioned stream.is_muted=true | mention by desktop sound push email
  idle, no push | idle mentioned enable_offline_push_notifications=false | mention by desktop sound email
  idle, no mail | idle mentioned enable_offline_email_notifications=false | mention by desktop sound push
  push while active | mentioned enable_online_push_notifications=true | mention by desktop sound push
  push while active is also push while idle | idle mentioned enable_online_push_notifications=true enable_offline_push_notifications=false | mention by desktop sound push email
  idle: all streams by push and mail | idle enable_stream_push_notifications=true enable_stream_email_notifications=true | stream by push email
  idle: this stream by push and mail | idle stream.push_notifications=true stream.email_notifications=true | stream by push email
  idle: an alert word in a stream by push and mail | idle has_alert_word stream.push_notifications=true stream.email_notifications=true | alert_word by desktop sound, stream by push email
  idle: this stream by mail, but no mail at all | idle enable_offline_email_notifications=false stream.email_notifications=true | nothing
  idle: this stream by push, but no push at all | idle enable_offline_push_notifications=false stream.push_notifications=true | nothing
  active: this stream by push and mail | stream.push_notifications=true stream.email_notifications=true | nothing
  idle, no wildcards | idle wildcard_mentioned wildcard_mentions_notify=false | nothing
`);

test.each(rows)('%s', (_name, change = '', expected = '') => {
  expect(judge(situationWith(readChange(change)))).toEqual(readNotifications(expected));
});

describe('the number on the icon', () => {
  // As in `unread_msgs`: `count` leaves out muted streams, `mentions` does not.
  const counts = rowsOf(`
    a message in a stream | plain | stream | nothing
    a private message | private | private_message | private_message
    a mention | mentioned | mention | mention
    a wildcard mention | wildcard_mentioned | wildcard_mention | wildcard_mention
    a wildcard mention that does not notify | wildcard_mentioned wildcard_mentions_notify=false | wildcard_mention | wildcard_mention
    an alert word | has_alert_word | alert_word | nothing
    a message in a muted stream | stream.is_muted=true | nothing | nothing
    a message in a muted topic | muted_topic | nothing | nothing
    a mention in a muted stream | mentioned stream.is_muted=true | nothing | mention
    a wildcard mention in a muted stream | wildcard_mentioned stream.is_muted=true | nothing | nothing
    a read message | read mentioned | nothing | nothing
    a private message of a muted user | private muted_sender | nothing | nothing
  `);

  test.each(counts)('%s', (_name, text = '', all = '', important = '') => {
    const change = readChange(text);
    const shown = [1, 2, 3].map((display) => {
      const settings = { ...change.settings, desktop_icon_count_display: display };
      return judge(situationWith({ ...change, settings })).badge;
    });
    expect(shown.map((reason) => reason ?? 'nothing')).toEqual([all, important, 'nothing']);
  });
});

const choice = fc.option(fc.boolean(), { nil: null });

const situations: fc.Arbitrary<Situation> = fc.record({
  message: fc.record({
    type: fc.constantFrom('stream', 'private'),
    sender_id: fc.constantFrom(1, 2, recipientId),
    flags: fc.subarray([
      'read',
      'starred',
      'mentioned',
      'wildcard_mentioned',
      'has_alert_word',
    ] as const),
  }),
  recipient: fc.record({
    userId: fc.constant(recipientId),
    settings: fc.record({
      enable_stream_desktop_notifications: fc.boolean(),
      enable_stream_audible_notifications: fc.boolean(),
      enable_stream_push_notifications: fc.boolean(),
      enable_stream_email_notifications: fc.boolean(),
      enable_desktop_notifications: fc.boolean(),
      enable_sounds: fc.boolean(),
      enable_offline_push_notifications: fc.boolean(),
      enable_online_push_notifications: fc.boolean(),
      enable_offline_email_notifications: fc.boolean(),
      wildcard_mentions_notify: fc.boolean(),
      desktop_icon_count_display: fc.constantFrom(1, 2, 3),
    }),
    subscription: fc.option(
      fc.record({
        desktop_notifications: choice,
        audible_notifications: choice,
        push_notifications: choice,
        email_notifications: choice,
        wildcard_mentions_notify: choice,
        is_muted: fc.boolean(),
      }),
      { nil: undefined },
    ),
    hasMutedTopic: fc.boolean(),
    hasMutedSender: fc.boolean(),
  }),
  attention: fc.record({
    isIdle: fc.boolean(),
    isWindowFocused: fc.boolean(),
    isInShownNarrow: fc.boolean(),
  }),
});

type Law = readonly [
  name: string,
  holds: (situation: Situation, notified: Notifications) => boolean,
];

function isNotified(notified: Notifications): boolean {
  return Object.keys(notified).length > 0;
}

function withRecipient(situation: Situation, change: Partial<Recipient>): Situation {
  return { ...situation, recipient: { ...situation.recipient, ...change } };
}

/** Whether every channel of the first notifies in the second too. */
function isPartOf(few: Notifications, many: Notifications): boolean {
  return channels.every((channel) => few[channel] === undefined || many[channel] !== undefined);
}

const laws: readonly Law[] = [
  [
    'own messages, read ones, those of muted users and those on the screen never notify',
    ({ message, recipient, attention }, notified) =>
      !isNotified(notified) ||
      (message.sender_id !== recipient.userId &&
        !message.flags.includes('read') &&
        !recipient.hasMutedSender &&
        !(attention.isWindowFocused && attention.isInShownNarrow)),
  ],
  [
    'in a muted stream or topic only private messages and mentions notify',
    ({ recipient }, notified) =>
      (recipient.subscription?.is_muted !== true && !recipient.hasMutedTopic) ||
      Object.values(notified).every((reason) => ['private_message', 'mention'].includes(reason)),
  ],
  [
    'the reason is true of the message',
    ({ message, recipient }, notified) => {
      const isTrue = {
        private_message: message.type === 'private',
        mention: message.flags.includes('mentioned'),
        wildcard_mention: message.flags.includes('wildcard_mentioned'),
        alert_word: message.flags.includes('has_alert_word'),
        stream: recipient.subscription !== undefined,
      };
      return Object.values(notified).every((reason) => isTrue[reason]);
    },
  ],
  [
    'mail goes only to who is idle, and neither mail nor push for an alert word',
    ({ attention }, { email, push }) =>
      (email === undefined || attention.isIdle) && email !== 'alert_word' && push !== 'alert_word',
  ],
  [
    'a setting that is switched on takes no channel away',
    (situation, notified) =>
      Object.entries(situation.recipient.settings)
        .filter(([, value]) => typeof value === 'boolean')
        .every(([name]) => {
          const settings = { ...situation.recipient.settings, [name]: true };
          return isPartOf(notified, judge(withRecipient(situation, { settings })));
        }),
  ],
  [
    'muting adds no channel',
    (situation, notified) => {
      const { subscription } = situation.recipient;
      const muted = [
        { hasMutedTopic: true },
        { hasMutedSender: true },
        { subscription: subscription && { ...subscription, is_muted: true } },
      ];
      return muted.every((change) => isPartOf(judge(withRecipient(situation, change)), notified));
    },
  ],
  [
    'what a stream inherits counts like its own choice',
    (situation, notified) => {
      const { subscription, settings } = situation.recipient;
      if (subscription === undefined) return true;
      const chosen = {
        is_muted: subscription.is_muted,
        desktop_notifications:
          subscription.desktop_notifications ?? settings.enable_stream_desktop_notifications,
        audible_notifications:
          subscription.audible_notifications ?? settings.enable_stream_audible_notifications,
        push_notifications:
          subscription.push_notifications ?? settings.enable_stream_push_notifications,
        email_notifications:
          subscription.email_notifications ?? settings.enable_stream_email_notifications,
        wildcard_mentions_notify:
          subscription.wildcard_mentions_notify ?? settings.wildcard_mentions_notify,
      };
      const same = judge(withRecipient(situation, { subscription: chosen }));
      return isPartOf(notified, same) && isPartOf(same, notified);
    },
  ],
];

test.each(laws)('always: %s', (_name, holds) => {
  fc.assert(fc.property(situations, (situation) => holds(situation, judge(situation))));
});

test('takes messages and state as clients have them', () => {
  expectTypeOf<FetchedMessage>().toExtend<JudgedMessage>();
  expectTypeOf<Required<RegisterState>>().toExtend<Recipient['settings']>();
  expectTypeOf<Required<RegisterState>['subscriptions'][number]>().toExtend<
    NonNullable<Recipient['subscription']>
  >();
});
