/** One row for each rule and for each two rules that meet; properties over all inputs. */
import type { FetchedMessage } from '@parley/api/messages';
import type { RegisterState } from '@parley/api/events';
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

const isIdle = { isIdle: true };
const isPrivate = { type: 'private' } as const;
const mentioned = { flags: ['mentioned'] } as const;
const wildcard = { flags: ['wildcard_mentioned'] } as const;
const alerted = { flags: ['has_alert_word'] } as const;
const mutedStream = { subscription: { is_muted: true } };

const here = (reason: Notifications['desktop']): object => ({ desktop: reason, sound: reason });
const away = (reason: Notifications['desktop']): object => ({
  ...here(reason),
  push: reason,
  email: reason,
});

const rows: readonly (readonly [name: string, change: Change, expected: object])[] = [
  // Reasons.
  ['a private message', isPrivate, here('private_message')],
  ['a mention', mentioned, here('mention')],
  ['a wildcard mention', wildcard, here('wildcard_mention')],
  ['an alert word', alerted, here('alert_word')],
  ['a message in a stream', {}, {}],
  [
    'a mention is stronger than a wildcard',
    { flags: ['wildcard_mentioned', 'mentioned'] },
    here('mention'),
  ],
  [
    'a wildcard is stronger than an alert word',
    { flags: ['has_alert_word', 'wildcard_mentioned'] },
    here('wildcard_mention'),
  ],
  [
    'that it is private is stronger than a mention',
    { ...isPrivate, ...mentioned },
    here('private_message'),
  ],
  ['other flags are no reason', { flags: ['starred', 'collapsed', 'historical'] }, {}],

  // Nothing at all.
  ['an own message', { ...isPrivate, senderId: recipientId }, {}],
  ['an own message that mentions its sender', { ...mentioned, senderId: recipientId }, {}],
  ['a read message', { flags: ['read', 'mentioned'] }, {}],
  ['a mention by a muted user', { ...mentioned, hasMutedSender: true }, {}],
  ['a private message of a muted user', { ...isPrivate, hasMutedSender: true }, {}],
  [
    'a message on the screen',
    { ...mentioned, attention: { isWindowFocused: true, isInShownNarrow: true } },
    {},
  ],
  [
    'one in another narrow',
    { ...mentioned, attention: { isWindowFocused: true } },
    here('mention'),
  ],
  [
    'one in the narrow of a window without focus',
    { ...mentioned, attention: { isInShownNarrow: true } },
    here('mention'),
  ],

  // Desktop and sound.
  [
    'no desktop notifications',
    { ...isPrivate, settings: { enable_desktop_notifications: false } },
    { sound: 'private_message' },
  ],
  ['no sounds', { ...mentioned, settings: { enable_sounds: false } }, { desktop: 'mention' }],

  // Streams: the setting for all of them, and a stream's own.
  [
    'all streams on the desktop',
    { settings: { enable_stream_desktop_notifications: true } },
    { desktop: 'stream' },
  ],
  [
    'all streams with sound',
    { settings: { enable_stream_audible_notifications: true } },
    { sound: 'stream' },
  ],
  [
    'this stream on the desktop',
    { subscription: { desktop_notifications: true } },
    { desktop: 'stream' },
  ],
  [
    'this stream with sound',
    { subscription: { audible_notifications: true } },
    { sound: 'stream' },
  ],
  [
    'all streams but this one',
    {
      settings: {
        enable_stream_desktop_notifications: true,
        enable_stream_audible_notifications: true,
      },
      subscription: { desktop_notifications: false, audible_notifications: false },
    },
    {},
  ],
  [
    'all streams, without a subscription',
    { settings: { enable_stream_desktop_notifications: true }, subscription: null },
    {},
  ],
  [
    'this stream, without desktop notifications otherwise',
    {
      ...mentioned,
      subscription: { desktop_notifications: true },
      settings: { enable_desktop_notifications: false },
    },
    { desktop: 'stream', sound: 'mention' },
  ],
  [
    'a mention in a stream that does not notify',
    { ...mentioned, subscription: { desktop_notifications: false } },
    here('mention'),
  ],

  // Wildcard mentions: the setting, and a stream's own.
  ['no wildcards', { ...wildcard, settings: { wildcard_mentions_notify: false } }, {}],
  [
    'no wildcards of this stream',
    { ...wildcard, subscription: { wildcard_mentions_notify: false } },
    {},
  ],
  [
    'no wildcards but of this stream',
    {
      ...wildcard,
      settings: { wildcard_mentions_notify: false },
      subscription: { wildcard_mentions_notify: true },
    },
    here('wildcard_mention'),
  ],
  [
    'no wildcards, in a stream that notifies',
    { ...wildcard, subscription: { wildcard_mentions_notify: false, desktop_notifications: true } },
    { desktop: 'stream' },
  ],
  [
    'no wildcards, but a mention',
    { flags: ['mentioned', 'wildcard_mentioned'], settings: { wildcard_mentions_notify: false } },
    here('mention'),
  ],
  [
    'no wildcards, but an alert word',
    {
      flags: ['wildcard_mentioned', 'has_alert_word'],
      settings: { wildcard_mentions_notify: false },
    },
    here('alert_word'),
  ],

  // Muting.
  ['a mention in a muted stream', { ...mentioned, ...mutedStream }, here('mention')],
  ['a mention in a muted topic', { ...mentioned, hasMutedTopic: true }, here('mention')],
  ['a wildcard in a muted stream', { ...wildcard, ...mutedStream }, {}],
  ['a wildcard in a muted topic', { ...wildcard, hasMutedTopic: true }, {}],
  ['an alert word in a muted stream', { ...alerted, ...mutedStream }, {}],
  ['an alert word in a muted topic', { ...alerted, hasMutedTopic: true }, {}],
  [
    'a muted stream that notifies',
    { subscription: { is_muted: true, desktop_notifications: true } },
    {},
  ],
  [
    'a muted topic of a stream that notifies',
    { subscription: { desktop_notifications: true }, hasMutedTopic: true },
    {},
  ],

  // Push and mail.
  ['idle: a private message', { ...isPrivate, attention: isIdle }, away('private_message')],
  ['idle: a mention', { ...mentioned, attention: isIdle }, away('mention')],
  ['idle: a wildcard mention', { ...wildcard, attention: isIdle }, away('wildcard_mention')],
  ['idle: an alert word', { ...alerted, attention: isIdle }, here('alert_word')],
  ['idle: a message in a stream', { attention: isIdle }, {}],
  [
    'idle: a mention in a muted stream',
    { ...mentioned, ...mutedStream, attention: isIdle },
    away('mention'),
  ],
  [
    'idle, no push',
    { ...mentioned, attention: isIdle, settings: { enable_offline_push_notifications: false } },
    { ...here('mention'), email: 'mention' },
  ],
  [
    'idle, no mail',
    { ...mentioned, attention: isIdle, settings: { enable_offline_email_notifications: false } },
    { ...here('mention'), push: 'mention' },
  ],
  [
    'push while active',
    { ...mentioned, settings: { enable_online_push_notifications: true } },
    { ...here('mention'), push: 'mention' },
  ],
  [
    'push while active is also push while idle',
    {
      ...mentioned,
      attention: isIdle,
      settings: {
        enable_online_push_notifications: true,
        enable_offline_push_notifications: false,
      },
    },
    away('mention'),
  ],
  [
    'idle: all streams by push and mail',
    {
      attention: isIdle,
      settings: { enable_stream_push_notifications: true, enable_stream_email_notifications: true },
    },
    { push: 'stream', email: 'stream' },
  ],
  [
    'idle: this stream by push and mail',
    { attention: isIdle, subscription: { push_notifications: true, email_notifications: true } },
    { push: 'stream', email: 'stream' },
  ],
  [
    'idle: an alert word in a stream by push and mail',
    {
      ...alerted,
      attention: isIdle,
      subscription: { push_notifications: true, email_notifications: true },
    },
    { ...here('alert_word'), push: 'stream', email: 'stream' },
  ],
  [
    'idle: this stream by mail, but no mail at all',
    {
      attention: isIdle,
      subscription: { email_notifications: true },
      settings: { enable_offline_email_notifications: false },
    },
    {},
  ],
  [
    'idle: this stream by push, but no push at all',
    {
      attention: isIdle,
      subscription: { push_notifications: true },
      settings: { enable_offline_push_notifications: false },
    },
    {},
  ],
  [
    'active: this stream by push and mail',
    { subscription: { push_notifications: true, email_notifications: true } },
    {},
  ],
  [
    'idle, no wildcards',
    { ...wildcard, attention: isIdle, settings: { wildcard_mentions_notify: false } },
    {},
  ],
];

test.each(rows)('%s', (_name, change, expected) => {
  expect(judge(situationWith(change))).toEqual(expected);
});

describe('the number on the icon', () => {
  const counts: readonly (readonly [string, Change, all: unknown, important: unknown])[] = [
    ['a message in a stream', {}, 'stream', undefined],
    ['a private message', isPrivate, 'private_message', 'private_message'],
    ['a mention', mentioned, 'mention', 'mention'],
    ['a wildcard mention', wildcard, 'wildcard_mention', 'wildcard_mention'],
    [
      'a wildcard mention that does not notify',
      { ...wildcard, settings: { wildcard_mentions_notify: false } },
      'wildcard_mention',
      'wildcard_mention',
    ],
    ['an alert word', alerted, 'alert_word', undefined],
    ['a message in a muted stream', mutedStream, undefined, undefined],
    ['a message in a muted topic', { hasMutedTopic: true }, undefined, undefined],
    // As in `unread_msgs`: `count` leaves out muted streams, `mentions` does not.
    ['a mention in a muted stream', { ...mentioned, ...mutedStream }, undefined, 'mention'],
    ['a wildcard mention in a muted stream', { ...wildcard, ...mutedStream }, undefined, undefined],
    ['a read message', { flags: ['read', 'mentioned'] }, undefined, undefined],
    [
      'a private message of a muted user',
      { ...isPrivate, hasMutedSender: true },
      undefined,
      undefined,
    ],
  ];

  test.each(counts)('%s', (_name, change, all, important) => {
    const shown = [1, 2, 3].map((display) => {
      const settings = { ...change.settings, desktop_icon_count_display: display };
      return judge(situationWith({ ...change, settings })).badge;
    });
    expect(shown).toEqual([all, important, undefined]);
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
