/** Streams and subscriptions as clients see them. */
import type { InheritedSetting, StreamObject, SubscriptionObject } from '@parley/api/streams';
import type { Stream, SubscriptionSettings } from '../index.ts';

/** The stream object (reference facts, streams 3.1). */
export type StreamJson = StreamObject;

/** @returns the stream object */
export function streamJson(stream: Stream): StreamJson {
  return {
    name: stream.name,
    stream_id: stream.id,
    description: stream.description,
    rendered_description: stream.renderedDescription,
    invite_only: stream.inviteOnly,
    is_web_public: stream.isWebPublic,
    is_announcement_only: stream.isAnnouncementOnly,
    history_public_to_subscribers: stream.historyPublicToSubscribers,
    first_message_id: stream.firstMessageId,
  };
}

/** @returns the stream as former members who can no longer see it know it: without a description that may be newer */
export function withoutDescription(stream: Stream): Stream {
  return { ...stream, description: '', renderedDescription: '', firstMessageId: null };
}

const daySecs = 86_400;
/** Reference facts, streams 3.2 and 3.3: a stream is old after a week, and traffic is counted over four weeks. */
const oldStreamDays = 7;
const trafficDays = 28;

function ageDays(stream: Pick<Stream, 'createdAtSecs'>, nowSecs: number): number {
  return Math.floor((nowSecs - stream.createdAtSecs) / daySecs);
}

function roundToTwoDigits(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(count, 1))) - 1);
  return Math.round(count / unit) * unit;
}

/**
 * The weekly traffic of a stream (reference facts, streams 3.3).
 *
 * @param messages messages of the last 28 days
 * @returns null while the stream is younger than a week
 */
export function weeklyTraffic(ageInDays: number, messages: number): number | null {
  if (ageInDays < oldStreamDays) return null;
  const weekly =
    ageInDays < trafficDays ? Math.floor((messages * 7) / ageInDays) : Math.floor(messages / 4);
  return roundToTwoDigits(weekly === 0 && messages > 0 ? 1 : weekly);
}

/** The members about a stream's age and traffic. */
export function ageFields(
  stream: Stream,
  recentMessages: number,
  nowSecs: number,
): { is_old_stream: boolean; stream_weekly_traffic: number | null } {
  const age = ageDays(stream, nowSecs);
  return {
    is_old_stream: age >= oldStreamDays,
    stream_weekly_traffic: weeklyTraffic(age, recentMessages),
  };
}

/** A subscription object; `subscribers` is added on request (reference facts, streams 3.2). */
export type SubscriptionJson<Inherited extends boolean | null = boolean | null> = Omit<
  SubscriptionObject,
  'subscribers' | InheritedSetting
> & { readonly [Setting in InheritedSetting]: Inherited };

/**
 * @param recentMessages messages of the stream in the last 28 days
 * @param nowSecs Unix time
 * @returns the subscription object without `subscribers`
 */
export function subscriptionJson<Inherited extends boolean | null>(
  stream: Stream,
  settings: SubscriptionSettings<Inherited>,
  recentMessages: number,
  nowSecs: number,
): SubscriptionJson<Inherited> {
  return { ...streamJson(stream), ...personalFields(stream, settings, recentMessages, nowSecs) };
}

/** @returns the members of a subscription object that the stream object lacks; parameters as for `subscriptionJson` */
export function personalFields<Inherited extends boolean | null>(
  stream: Stream,
  settings: SubscriptionSettings<Inherited>,
  recentMessages: number,
  nowSecs: number,
): Omit<SubscriptionJson<Inherited>, keyof StreamJson> {
  return {
    color: settings.color,
    is_muted: settings.isMuted,
    in_home_view: !settings.isMuted,
    pin_to_top: settings.pinToTop,
    desktop_notifications: settings.desktopNotifications,
    audible_notifications: settings.audibleNotifications,
    push_notifications: settings.pushNotifications,
    email_notifications: settings.emailNotifications,
    wildcard_mentions_notify: settings.wildcardMentionsNotify,
    // There is no incoming mail, and clients call a missing endpoint when the key is absent (reference facts, streams 1).
    email_address: '',
    ...ageFields(stream, recentMessages, nowSecs),
  };
}
