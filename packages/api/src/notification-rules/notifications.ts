/**
 * Who is notified of a message, where, and why. It is a function of plain data that browsers and the server have, so that both decide
 * alike (reference facts, events 4.2 and 4.6, messages 4.2, streams 6.3).
 */
import type { FetchedMessage } from '../messages/index.ts';
import type { UserSettings } from '../people/index.ts';
import type { InheritedSetting, SubscriptionObject } from '../streams/index.ts';

export const channels = ['desktop', 'sound', 'push', 'email', 'badge'] as const;

/** Where a person is notified. `badge` is the number on the icon, which counts the message as long as it is unread. */
export type Channel = (typeof channels)[number];

/** Why a person is notified; `mention` is one by name or in a group, `stream` that the person subscribes to the stream. */
export type Reason = 'private_message' | 'mention' | 'wildcard_mention' | 'alert_word' | 'stream';

/** The channels that notify, each with the strongest reason. */
export type Notifications = { readonly [Each in Channel]?: Reason };

/** A message, with the flags that it has for the recipient. */
export type JudgedMessage = Pick<FetchedMessage, 'type' | 'sender_id' | 'flags'>;

/** What a recipient has chosen, as far as it concerns the message. */
export type Recipient = {
  readonly userId: number;
  readonly settings: Pick<
    UserSettings,
    | `enable_stream_${InheritedSetting}`
    | 'enable_desktop_notifications'
    | 'enable_sounds'
    | 'enable_offline_push_notifications'
    | 'enable_online_push_notifications'
    | 'enable_offline_email_notifications'
    | 'wildcard_mentions_notify'
    | 'desktop_icon_count_display'
  >;
  /** Of the message's stream; undefined without one. null in it means that the setting for all streams holds. */
  readonly subscription:
    | Pick<SubscriptionObject, InheritedSetting | 'wildcard_mentions_notify' | 'is_muted'>
    | undefined;
  readonly hasMutedTopic: boolean;
  readonly hasMutedSender: boolean;
};

/** What the recipient is looking at. A server that does not know says that no window has the focus. */
export type Attention = {
  /** Not at any client at the moment. */
  readonly isIdle: boolean;
  readonly isWindowFocused: boolean;
  /** The narrow in that window contains the message. */
  readonly isInShownNarrow: boolean;
};

/** Values of `desktop_icon_count_display`; any other shows no number. */
const badgeCounts = { allUnread: 1, privateAndMentions: 2 } as const;

/**
 * Decides which channels notify a recipient of a message. It does not decide what a notification shows, and whether a channel works: a
 * browser without permission, or a server without push service or mail, leaves it out.
 *
 * @returns an empty object if the recipient is not notified at all
 */
export function notificationsFor(
  message: JudgedMessage,
  recipient: Recipient,
  attention: Attention,
): Notifications {
  if (message.sender_id === recipient.userId) return {};
  if (recipient.hasMutedSender) return {};
  if (isSeen(message, attention)) return {};
  const reasons = reasonsFor(message, recipient);
  const notifications: { [Each in Channel]?: Reason } = {};
  for (const channel of channels) {
    const reason = reasons.find((each) => notifies(channel, each, recipient, attention));
    if (reason !== undefined) notifications[channel] = reason;
  }
  return notifications;
}

function isSeen({ flags }: JudgedMessage, attention: Attention): boolean {
  return flags.includes('read') || (attention.isWindowFocused && attention.isInShownNarrow);
}

/** From the strongest to the weakest. Only private messages and mentions by name or in a group are above muting. */
function reasonsFor({ type, flags }: JudgedMessage, recipient: Recipient): Reason[] {
  const reasons: Reason[] = [];
  if (type === 'private') reasons.push('private_message');
  if (flags.includes('mentioned')) reasons.push('mention');
  if (isMuted(recipient)) return reasons;
  if (flags.includes('wildcard_mentioned')) reasons.push('wildcard_mention');
  if (flags.includes('has_alert_word')) reasons.push('alert_word');
  if (recipient.subscription !== undefined) reasons.push('stream');
  return reasons;
}

function isMuted({ subscription, hasMutedTopic }: Recipient): boolean {
  return hasMutedTopic || subscription?.is_muted === true;
}

/** Whether a reason is enough for a channel. */
function notifies(
  channel: Channel,
  reason: Reason,
  recipient: Recipient,
  attention: Attention,
): boolean {
  if (channel === 'badge') return isCounted(reason, recipient);
  if (reason === 'wildcard_mention' && !wildcardsNotify(recipient)) return false;
  const { settings } = recipient;
  switch (channel) {
    case 'desktop':
      return reason === 'stream'
        ? streamNotifies('desktop_notifications', recipient)
        : settings.enable_desktop_notifications;
    case 'sound':
      return reason === 'stream'
        ? streamNotifies('audible_notifications', recipient)
        : settings.enable_sounds;
    case 'push':
      return (
        isReachedByPush(recipient, attention) &&
        isWorthSending(reason, streamNotifies('push_notifications', recipient))
      );
    case 'email':
      return (
        attention.isIdle &&
        settings.enable_offline_email_notifications &&
        isWorthSending(reason, streamNotifies('email_notifications', recipient))
      );
  }
}

function isCounted(reason: Reason, recipient: Recipient): boolean {
  switch (recipient.settings.desktop_icon_count_display) {
    case badgeCounts.allUnread:
      return reason === 'private_message' || !isMuted(recipient);
    case badgeCounts.privateAndMentions:
      return reason === 'private_message' || reason === 'mention' || reason === 'wildcard_mention';
    default:
      return false;
  }
}

function wildcardsNotify({ subscription, settings }: Recipient): boolean {
  return subscription?.wildcard_mentions_notify ?? settings.wildcard_mentions_notify;
}

function streamNotifies(name: InheritedSetting, { subscription, settings }: Recipient): boolean {
  return subscription?.[name] ?? settings[`enable_stream_${name}`];
}

function isReachedByPush({ settings }: Recipient, { isIdle }: Attention): boolean {
  return (
    settings.enable_online_push_notifications ||
    (isIdle && settings.enable_offline_push_notifications)
  );
}

/** Alert words notify only where a client is open. */
function isWorthSending(reason: Reason, ofStream: boolean): boolean {
  return reason === 'stream' ? ofStream : reason !== 'alert_word';
}
