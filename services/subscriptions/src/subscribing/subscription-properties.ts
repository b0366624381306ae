import type { ApiEvent } from '@parley/api/events';
import { mayReadStream } from '@parley/access';
import { badRequest, notAuthenticated, withoutCode } from '@parley/api';
import { ownEventsEntry } from '@parley/event-log';
import type { Caller } from '@parley/api';
import type { SubscriptionPropertyChange } from '@parley/api/streams';
import {
  findMemberships,
  findStreamsByIds,
  lockSubscriptions,
  lockUsersInUse,
  updateSubscriptionSettings,
} from '@parley/store';
import type { SettingsChange, Stream } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';

/** Setting properties of one's own subscriptions (contract, Subscription properties; reference facts, streams 6.4). */

// Clients read colours of three or six digits only (reference facts, streams 1).
const hexColor = /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;

/** @returns whether clients can read the text as a colour */
export function isHexColor(text: string): boolean {
  return hexColor.test(text);
}

/** How a property is stored, and how the event names it. */
type Property = {
  readonly checkValue: (value: string | boolean, name: string) => void;
  readonly change: (value: string | boolean) => SettingsChange;
  /** Muting has two names, and events use one of them. */
  readonly told: (value: string | boolean) => { property?: string; value: string | boolean };
};

function checkBoolean(value: string | boolean, name: string): void {
  if (typeof value !== 'boolean') throw withoutCode(`${name} is not a boolean`);
}

function checkColor(value: string | boolean): void {
  if (typeof value !== 'string') throw withoutCode('color is not a string');
  if (!isHexColor(value)) throw withoutCode('color is not a valid hex color code');
}

type BooleanSetting = Exclude<keyof SettingsChange, 'color'>;

const unchanged = (value: string | boolean): { value: string | boolean } => ({ value });

function booleanProperty(setting: BooleanSetting): Property {
  return {
    checkValue: checkBoolean,
    change: (value) => ({ [setting]: value === true }),
    told: unchanged,
  };
}

const properties: ReadonlyMap<string, Property> = new Map<string, Property>([
  [
    'color',
    { checkValue: checkColor, change: (value) => ({ color: String(value) }), told: unchanged },
  ],
  [
    'in_home_view',
    {
      checkValue: checkBoolean,
      change: (value) => ({ isMuted: value === false }),
      told: unchanged,
    },
  ],
  [
    'is_muted',
    {
      checkValue: checkBoolean,
      change: (value) => ({ isMuted: value === true }),
      told: (value) => ({ property: 'in_home_view', value: value === false }),
    },
  ],
  ['pin_to_top', booleanProperty('pinToTop')],
  ['desktop_notifications', booleanProperty('desktopNotifications')],
  ['audible_notifications', booleanProperty('audibleNotifications')],
  ['push_notifications', booleanProperty('pushNotifications')],
  ['email_notifications', booleanProperty('emailNotifications')],
  ['wildcard_mentions_notify', booleanProperty('wildcardMentionsNotify')],
]);

type CheckedChange = {
  readonly asked: SubscriptionPropertyChange;
  readonly property: Property;
  readonly stream: Stream;
};

type Known = {
  readonly role: Caller['role'];
  readonly streams: ReadonlyMap<number, Stream>;
  readonly memberOf: ReadonlySet<number>;
  readonly subscribedTo: ReadonlySet<number>;
};

function checkChange(asked: SubscriptionPropertyChange, known: Known): CheckedChange {
  const property = properties.get(asked.property);
  if (property === undefined) {
    throw withoutCode(`Unknown subscription property: ${asked.property}`);
  }
  const stream = known.streams.get(asked.stream_id);
  if (
    stream === undefined ||
    !mayReadStream({ role: known.role }, stream, known.memberOf.has(stream.id))
  ) {
    throw badRequest('Invalid stream id');
  }
  if (!known.subscribedTo.has(stream.id)) {
    throw withoutCode(`Not subscribed to stream id ${stream.id}`);
  }
  property.checkValue(asked.value, asked.property);
  return { asked, property, stream };
}

/** Names and values were checked against each other. */
type SubscriptionUpdate = Extract<ApiEvent, { type: 'subscription'; op: 'update' }>;

/**
 * Sets properties of the caller's subscriptions, all or none, and tells the caller's queues of each, changed or not. Where one
 * occurs twice the last value stays.
 *
 * @throws ApiError the first refusal in the order of the request; then nothing has changed
 */
export async function changeProperties(
  context: SubscriptionsContext,
  caller: Caller,
  asked: readonly SubscriptionPropertyChange[],
): Promise<void> {
  if (asked.length === 0) return;
  const streamIds = [...new Set(asked.map((change) => change.stream_id))];
  await context.eventLog.transaction(async (client) => {
    const [user] = await lockUsersInUse(client, { userIds: [caller.userId] });
    if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
    const subscribedTo = await lockSubscriptions(client, user.id, streamIds);
    const streams = await findStreamsByIds(client, streamIds);
    const memberOf = await findMemberships(client, user.id, streamIds);
    const known: Known = {
      role: user.role,
      streams: new Map(streams.map((stream) => [stream.id, stream])),
      memberOf,
      subscribedTo,
    };
    const checked = asked.map((change) => checkChange(change, known));
    const changes = new Map<number, SettingsChange>();
    for (const { asked: change, property, stream } of checked) {
      changes.set(stream.id, { ...changes.get(stream.id), ...property.change(change.value) });
    }
    await updateSubscriptionSettings(client, user.id, changes);
    const events = checked.map(
      ({ asked: change, property, stream }) =>
        ({
          type: 'subscription',
          op: 'update',
          email: user.email,
          property: change.property,
          ...property.told(change.value),
          stream_id: stream.id,
          name: stream.name,
        }) as SubscriptionUpdate,
    );
    return { result: undefined, append: { entries: [ownEventsEntry(user.id, events)] } };
  });
}
