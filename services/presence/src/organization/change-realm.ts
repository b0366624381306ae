import { getAdministrator, getReadableStream } from '@parley/access';
import type { Caller, EventBody } from '@parley/contracts';
import type { Client } from '@parley/database';
import {
  applyEmailPolicy,
  authenticationMethods,
  emailPolicy,
  lockRealmForChange,
  lockStreams,
  lockUsersInUse,
  shownSettings,
  updateRealm,
} from '@parley/store';
import type { Realm, RealmChange, RealmSettings } from '@parley/store';

import { changeEntry, toEveryone } from '../accounts/account-events.ts';
import type { PresenceContext } from '../context.ts';
import {
  checkRealmRequest,
  checkSomeMethod,
  deletionLimit,
  editingSettings,
} from './realm-settings.ts';
import type { RealmRequest } from './realm-settings.ts';

/** Changes of the organization's settings (reference facts, people 14.1; events 14.1). */

/** What a request really changes: what is stored, answered and told. */
type Difference = {
  readonly change: RealmChange;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly events: readonly EventBody[];
};

function updated(property: string, value: unknown): EventBody {
  return { type: 'realm', op: 'update', property, value };
}

function updatedTogether(data: Readonly<Record<string, unknown>>): EventBody {
  return { type: 'realm', op: 'update_dict', property: 'default', data };
}

/** Texts are answered by a word, since the client knows them. */
function answered(value: unknown): unknown {
  return typeof value === 'string' ? 'updated' : value;
}

const toldApart: ReadonlySet<string> = new Set([...editingSettings, deletionLimit]);

function differenceOfSettings(realm: Realm, wanted: Partial<RealmSettings>): Difference {
  const stored: Readonly<Record<string, unknown>> = realm.settings;
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => stored[name] !== value),
  ) as Partial<RealmSettings>;
  const now = { ...realm.settings, ...changed };
  const simple = Object.entries(shownSettings(changed)).filter(([name]) => !toldApart.has(name));
  const events = simple.map(([name, value]) => updated(name, value));
  const answer: Record<string, unknown> = Object.fromEntries(
    simple.map(([name, value]) => [name, answered(value)]),
  );
  if (editingSettings.some((name) => Object.hasOwn(changed, name))) {
    const editing = Object.fromEntries(editingSettings.map((name) => [name, now[name]]));
    events.push(updatedTogether(editing));
    Object.assign(answer, editing);
  }
  if (changed[deletionLimit] !== undefined) {
    events.push(updatedTogether({ [deletionLimit]: changed[deletionLimit] }));
    answer[deletionLimit] = changed[deletionLimit];
  }
  return { change: { settings: changed }, answer, events };
}

function differenceOfTexts(realm: Realm, { name, description }: RealmRequest): Difference {
  const change: RealmChange = {
    ...(name !== undefined && name !== realm.name && { name }),
    ...(description !== undefined && description !== realm.description && { description }),
  };
  const changed = Object.entries(change);
  return {
    change,
    answer: Object.fromEntries(changed.map(([property, value]) => [property, answered(value)])),
    events: changed.map(([property, value]) => updated(property, value)),
  };
}

const nothing: Difference = { change: {}, answer: {}, events: [] };

/** @throws ApiError without code when no method that the server has would be left */
function differenceOfMethods(
  realm: Realm,
  wanted: RealmRequest['authenticationMethods'],
  mode: PresenceContext['mode'],
): Difference {
  if (wanted === undefined) return nothing;
  const before = authenticationMethods(realm, mode);
  const now = Object.fromEntries(
    Object.entries(before).map(([name, isOn]) => [name, wanted[name] ?? isOn]),
  );
  checkSomeMethod(now);
  if (Object.entries(now).every(([name, isOn]) => before[name] === isOn)) return nothing;
  const names = Object.keys(now);
  // Those that another mode of the server has stay as they are.
  const others = realm.disabledAuthenticationMethods.filter((name) => !names.includes(name));
  return {
    change: {
      disabledAuthenticationMethods: [...others, ...names.filter((name) => now[name] !== true)],
    },
    answer: { authentication_methods: now },
    events: [updatedTogether({ authentication_methods: now })],
  };
}

/** @throws ApiError `Invalid stream id` for one that the caller may not read */
async function differenceOfStreams(
  client: Client,
  caller: Caller,
  realm: Realm,
  request: RealmRequest,
): Promise<Difference> {
  const change: {
    notificationsStreamId?: number | null;
    signupNotificationsStreamId?: number | null;
  } = {};
  const told: Record<string, number> = {};
  for (const [property, key] of [
    ['notifications_stream_id', 'notificationsStreamId'],
    ['signup_notifications_stream_id', 'signupNotificationsStreamId'],
  ] as const) {
    const wanted = request[key];
    if (wanted === undefined) continue;
    const streamId = wanted < 0 ? null : wanted;
    if (streamId === realm[key]) continue;
    if (streamId !== null) {
      await lockStreams(client, { streamIds: [streamId] });
      await getReadableStream(client, caller, streamId);
    }
    change[key] = streamId;
    told[property] = streamId ?? -1;
  }
  const events = Object.entries(told).map(([property, value]) => updated(property, value));
  return { change, answer: told, events };
}

/** @param parts of which no two have a member of one name */
function merged(parts: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** One entry of the log holds so many events of people whose shown address changes. */
const emailsPerEntryMax = 1000;

/** Everybody hears of each address that is shown from now on (reference facts, events 14.1). */
async function changeEmails(
  context: PresenceContext,
  client: Client,
  settings: RealmSettings,
): Promise<{ readonly entries: readonly EventBody[][]; readonly userIds: readonly number[] }> {
  const changed = await applyEmailPolicy(client, emailPolicy(settings, context.publicUrl));
  const events = changed.map(({ userId, email }) => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: userId, new_email: email },
  }));
  const entries = Array.from({ length: Math.ceil(events.length / emailsPerEntryMax) }, (_, n) =>
    events.slice(n * emailsPerEntryMax, (n + 1) * emailsPerEntryMax),
  );
  return { entries, userIds: changed.map(({ userId }) => userId) };
}

/**
 * Changes settings of the organization; everybody hears of those that really changed.
 *
 * @returns these, texts as the word `updated`
 * @throws ApiError with the first refusal of the reference facts, people 14.1; then nothing has changed
 */
export async function changeRealm(
  context: PresenceContext,
  caller: Caller,
  request: RealmRequest,
): Promise<Record<string, unknown>> {
  checkRealmRequest(request);
  return context.eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    getAdministrator(await lockUsersInUse(client, { userIds: [caller.userId] }), caller);
    const differences = [
      differenceOfTexts(realm, request),
      differenceOfSettings(realm, request.settings),
      differenceOfMethods(realm, request.authenticationMethods, context.mode),
      await differenceOfStreams(client, caller, realm, request),
    ];
    const events = differences.flatMap((difference) => difference.events);
    if (events.length === 0) return { result: {} };
    await updateRealm(client, merged(differences.map(({ change }) => change)));
    const settings = { ...realm.settings, ...request.settings };
    const showsOthers =
      settings.email_address_visibility !== realm.settings.email_address_visibility;
    const emails = showsOthers
      ? await changeEmails(context, client, settings)
      : { entries: [], userIds: [] };
    return {
      result: merged(differences.map(({ answer }) => answer)),
      append: {
        entries: [events, ...emails.entries].map((told) => changeEntry(told.map(toEveryone))),
        ...(emails.userIds.length > 0 && { accountUserIds: emails.userIds }),
      },
    };
  });
}
