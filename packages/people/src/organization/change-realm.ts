import { getReadableStream, lockAdministrator } from '@parley/store/access';
import type { Caller } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { authenticationMethods } from '@parley/store/objects';
import type { SignInServer } from '@parley/store/objects';
import {
  applyEmailPolicy,
  emailPolicy,
  lockRealmForChange,
  lockStreams,
  updateRealm,
} from '@parley/store';
import type { Realm, RealmChange } from '@parley/store';
import type { ChangedRealm, RealmSettings } from '@parley/api/organization';

import {
  entryForEveryone,
  personUpdated,
  pictureUpdated,
  toEveryone,
} from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { changedMembers, givenMembers, mapMembers } from '../typed-members.ts';
import {
  checkRealmRequest,
  checkSomeMethod,
  deletionLimit,
  editingSettings,
  withCheckedCalls,
} from './realm-settings.ts';
import type { RealmRequest } from './realm-settings.ts';

/** Changes of the organization's settings (reference facts, people 14.1; events 14.1). */

/** The actual changes of a request: what is stored, answered and announced. */
type Difference = {
  readonly change: RealmChange;
  readonly answer: ChangedRealm;
  readonly events: readonly ApiEvent[];
};

/** The properties that have an event each: settings, and the properties beside them. */
type AnnouncedSettings = Omit<
  RealmSettings,
  (typeof editingSettings)[number] | typeof deletionLimit
> & {
  readonly name: string;
  readonly description: string;
  readonly notifications_stream_id: number;
  readonly signup_notifications_stream_id: number;
};

type UpdateEvent<Properties extends keyof AnnouncedSettings> = {
  [Property in Properties]: {
    readonly type: 'realm';
    readonly op: 'update';
    readonly property: Property;
    readonly value: AnnouncedSettings[Property];
  };
}[Properties];

function updated<Property extends keyof AnnouncedSettings>(
  property: Property,
  value: AnnouncedSettings[Property],
): UpdateEvent<keyof AnnouncedSettings> {
  const event: UpdateEvent<Property> = { type: 'realm', op: 'update', property, value };
  // Of a type parameter the compiler does not see that it is one of the union.
  return event as UpdateEvent<keyof AnnouncedSettings>;
}

function updatedOneByOne(changed: Partial<AnnouncedSettings>): ApiEvent[] {
  return mapMembers<AnnouncedSettings, ApiEvent>(changed, updated);
}

function updatedTogether(
  data: Extract<ApiEvent, { op: 'update_dict'; property: 'default' }>['data'],
): ApiEvent {
  return { type: 'realm', op: 'update_dict', property: 'default', data };
}

/** Texts are answered with the word `updated`, because the client knows them. */
function answeredSettings({
  default_language: language,
  google_hangouts_domain: domain,
  ...others
}: Partial<RealmSettings>): ChangedRealm {
  return {
    ...others,
    ...(language !== undefined && { default_language: 'updated' }),
    ...(domain !== undefined && { google_hangouts_domain: 'updated' }),
  };
}

function differenceOfSettings(realm: Realm, wanted: Partial<RealmSettings>): Difference {
  const changed = changedMembers(wanted, realm.settings);
  const now = { ...realm.settings, ...changed };
  const {
    allow_message_editing: _editing,
    message_content_edit_limit_seconds: _editLimit,
    allow_community_topic_editing: _topicEditing,
    message_content_delete_limit_seconds: _deleteLimit,
    ...simple
  } = changed;
  const events = updatedOneByOne(simple);
  const changesEditing = editingSettings.some((name) => Object.hasOwn(changed, name));
  const editing = {
    allow_message_editing: now.allow_message_editing,
    message_content_edit_limit_seconds: now.message_content_edit_limit_seconds,
    allow_community_topic_editing: now.allow_community_topic_editing,
  };
  if (changesEditing) events.push(updatedTogether(editing));
  if (changed[deletionLimit] !== undefined)
    events.push(updatedTogether({ [deletionLimit]: changed[deletionLimit] }));
  return {
    change: { settings: changed },
    answer: { ...answeredSettings(changed), ...(changesEditing && editing) },
    events,
  };
}

function differenceOfTexts(realm: Realm, { name, description }: RealmRequest): Difference {
  const change: RealmChange = {
    ...(name !== undefined && name !== realm.name && { name }),
    ...(description !== undefined && description !== realm.description && { description }),
  };
  return {
    change,
    answer: {
      ...(change.name !== undefined && { name: 'updated' }),
      ...(change.description !== undefined && { description: 'updated' }),
    },
    events: updatedOneByOne(change),
  };
}

const nothing: Difference = { change: {}, answer: {}, events: [] };

/** @throws ApiError without code if none of the server's methods would be left */
function differenceOfMethods(
  realm: Realm,
  wanted: RealmRequest['authenticationMethods'],
  server: SignInServer,
): Difference {
  if (wanted === undefined) return nothing;
  const before = authenticationMethods(realm, server);
  const now = Object.fromEntries(
    Object.entries(before).map(([name, isOn]) => [name, wanted[name] ?? isOn]),
  );
  checkSomeMethod(now);
  if (Object.entries(now).every(([name, isOn]) => before[name] === isOn)) return nothing;
  const names = Object.keys(now);
  // Methods that exist only in another mode of the server stay unchanged.
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
  const streamIds: { notifications_stream_id?: number; signup_notifications_stream_id?: number } =
    {};
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
    streamIds[property] = streamId ?? -1;
  }
  const events = updatedOneByOne(streamIds);
  return { change, answer: streamIds, events };
}

/** The most events about changed addresses in one entry of the log. */
const emailsPerEntryMax = 1000;

/**
 * Everybody gets an event for each address that is now shown (reference facts, events 14.1), after one for the picture, because only a
 * shown address has a Gravatar.
 */
async function changeEmails(
  context: PeopleContext,
  client: Client,
  settings: RealmSettings,
): Promise<{ readonly entries: readonly EventPart[][]; readonly userIds: readonly number[] }> {
  const changed = await applyEmailPolicy(client, emailPolicy(settings, context.publicUrl));
  const events = changed.flatMap((user) => [
    ...(user.avatarSource === 'G' ? [pictureUpdated(user, user.formerEmail)] : []),
    personUpdated(user, { new_email: user.email }),
  ]);
  const entries = Array.from({ length: Math.ceil(events.length / emailsPerEntryMax) }, (_, n) =>
    events.slice(n * emailsPerEntryMax, (n + 1) * emailsPerEntryMax),
  );
  return { entries, userIds: changed.map(({ id }) => id) };
}

/**
 * Changes settings of the organization; everybody gets events for the settings that really changed.
 *
 * @returns these, texts as the word `updated`
 * @throws ApiError with the first refusal of the reference facts, people 14.1; then nothing has changed
 */
export async function changeRealm(
  context: PeopleContext,
  caller: Caller,
  request: RealmRequest,
): Promise<ChangedRealm> {
  checkRealmRequest(request);
  return context.eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    await lockAdministrator(client, caller);
    const wanted = withCheckedCalls(realm.settings, givenMembers(request.settings));
    const texts = differenceOfTexts(realm, request);
    const simple = differenceOfSettings(realm, wanted);
    const methods = differenceOfMethods(realm, request.authenticationMethods, context);
    const streams = await differenceOfStreams(client, caller, realm, request);
    const events = [texts, simple, methods, streams].flatMap((difference) => difference.events);
    if (events.length === 0) return { result: {} };
    await updateRealm(client, {
      ...texts.change,
      ...simple.change,
      ...methods.change,
      ...streams.change,
    });
    const settings = { ...realm.settings, ...wanted };
    const showsOthers =
      settings.email_address_visibility !== realm.settings.email_address_visibility;
    const emails = showsOthers
      ? await changeEmails(context, client, settings)
      : { entries: [], userIds: [] };
    return {
      result: { ...texts.answer, ...simple.answer, ...methods.answer, ...streams.answer },
      append: {
        entries: [events.map(toEveryone), ...emails.entries].map((event) =>
          entryForEveryone(event),
        ),
        ...(emails.userIds.length > 0 && { accountUserIds: emails.userIds }),
      },
    };
  });
}
