import type { ApiEvent } from '@parley/api/events';
import { lockCaller, mayReadStream } from '@parley/store/access';
import { badRequest, withoutCode } from '@parley/api';
import { ownEventsEntry } from '@parley/event-log';
import type { Caller } from '@parley/api';
import type { SubscriptionPropertyChange } from '@parley/api/streams';
import {
  findMemberships,
  findStreamsByIds,
  lockSubscriptions,
  updateSubscriptionSettings,
} from '@parley/store';
import type { SettingsChange, Stream } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';

/** Changes properties of the caller's subscriptions (contract, Subscription properties; reference facts, streams 6.4). */

// Clients read colours of three or six digits only (reference facts, streams 1).
const hexColor = /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;

/** @returns whether clients can read the text as a colour */
export function isHexColor(text: string): boolean {
  return hexColor.test(text);
}

type SubscriptionUpdate = Extract<ApiEvent, { type: 'subscription'; op: 'update' }>;

type NamedValue<Update> = Update extends { readonly property: unknown; readonly value: unknown }
  ? Pick<Update, 'property' | 'value'>
  : never;

/** How a value is stored, and how the event names it. */
type PropertyChange = {
  readonly settings: SettingsChange;
  readonly update: NamedValue<SubscriptionUpdate>;
};

/** @throws ApiError without code for a value of the wrong type */
type PropertyReader = (value: string | boolean) => PropertyChange;

function readColor(value: string | boolean): PropertyChange {
  if (typeof value !== 'string') throw withoutCode('color is not a string');
  if (!isHexColor(value)) throw withoutCode('color is not a valid hex color code');
  return { settings: { color: value }, update: { property: 'color', value } };
}

function booleanReader(name: string, read: (isOn: boolean) => PropertyChange): PropertyReader {
  return (value) => {
    if (typeof value !== 'boolean') throw withoutCode(`${name} is not a boolean`);
    return read(value);
  };
}

type BooleanSetting = Exclude<keyof SettingsChange, 'color'>;
type BooleanName = Exclude<SubscriptionUpdate['property'], 'color'>;

function storedAs(property: BooleanName, setting: BooleanSetting): [string, PropertyReader] {
  const read = (value: boolean): PropertyChange => ({
    settings: { [setting]: value },
    update: { property, value },
  });
  return [property, booleanReader(property, read)];
}

/** Muting has two names, and events use one of them. */
function mutedStream(isMuted: boolean): PropertyChange {
  return { settings: { isMuted }, update: { property: 'in_home_view', value: !isMuted } };
}

const propertyReaders: ReadonlyMap<string, PropertyReader> = new Map<string, PropertyReader>([
  ['color', readColor],
  ['in_home_view', booleanReader('in_home_view', (isShown) => mutedStream(!isShown))],
  ['is_muted', booleanReader('is_muted', mutedStream)],
  storedAs('pin_to_top', 'pinToTop'),
  storedAs('desktop_notifications', 'desktopNotifications'),
  storedAs('audible_notifications', 'audibleNotifications'),
  storedAs('push_notifications', 'pushNotifications'),
  storedAs('email_notifications', 'emailNotifications'),
  storedAs('wildcard_mentions_notify', 'wildcardMentionsNotify'),
]);

type CheckedChange = PropertyChange & { readonly stream: Stream };

type Known = {
  readonly role: Caller['role'];
  readonly streams: ReadonlyMap<number, Stream>;
  readonly memberOf: ReadonlySet<number>;
  readonly subscribedTo: ReadonlySet<number>;
};

function checkChange(requested: SubscriptionPropertyChange, known: Known): CheckedChange {
  const read = propertyReaders.get(requested.property);
  if (read === undefined) {
    throw withoutCode(`Unknown subscription property: ${requested.property}`);
  }
  const stream = known.streams.get(requested.stream_id);
  if (
    stream === undefined ||
    !mayReadStream({ role: known.role }, stream, known.memberOf.has(stream.id))
  ) {
    throw badRequest('Invalid stream id');
  }
  if (!known.subscribedTo.has(stream.id)) {
    throw withoutCode(`Not subscribed to stream id ${stream.id}`);
  }
  return { ...read(requested.value), stream };
}

/**
 * Sets properties of the caller's subscriptions, all or none, and sends the caller's queues an event for each, changed or not. If a
 * property occurs twice, the last value counts.
 *
 * @throws ApiError the first refusal in the order of the request; then nothing has changed
 */
export async function changeProperties(
  context: SubscriptionsContext,
  caller: Caller,
  requested: readonly SubscriptionPropertyChange[],
): Promise<void> {
  if (requested.length === 0) return;
  const streamIds = [...new Set(requested.map((change) => change.stream_id))];
  await context.eventLog.transaction(async (client) => {
    const user = await lockCaller(client, caller);
    const subscribedTo = await lockSubscriptions(client, user.id, streamIds);
    const streams = await findStreamsByIds(client, streamIds);
    const memberOf = await findMemberships(client, user.id, streamIds);
    const known: Known = {
      role: user.role,
      streams: new Map(streams.map((stream) => [stream.id, stream])),
      memberOf,
      subscribedTo,
    };
    const checked = requested.map((change) => checkChange(change, known));
    const changes = new Map<number, SettingsChange>();
    for (const { settings, stream } of checked) {
      changes.set(stream.id, { ...changes.get(stream.id), ...settings });
    }
    await updateSubscriptionSettings(client, user.id, changes);
    const events = checked.map(({ update, stream }): SubscriptionUpdate => ({
      type: 'subscription',
      op: 'update',
      email: user.email,
      stream_id: stream.id,
      name: stream.name,
      ...update,
    }));
    return { result: undefined, append: { entries: [ownEventsEntry(user.id, events)] } };
  });
}
