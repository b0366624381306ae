import { checkListRoom, lockOwnAccount } from '@parley/store/access';
import type { Caller } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import {
  deleteProfileValues,
  listProfiles,
  lockProfileFieldsInUse,
  setProfileValues,
} from '@parley/store';
import type { User } from '@parley/store';

import { entryForEveryone, personUpdated } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { checkProfileValues, getNamedField } from './value-rules.ts';
import type { GivenValue } from './value-rules.ts';

/** The new values of a profile. */
export type ProfileChange = {
  readonly set: readonly GivenValue[];
  /** Fields to empty. */
  readonly removed: readonly number[];
};

/**
 * Changes a profile; the account is locked by the caller.
 *
 * @param actor undefined for a program that keeps accounts
 * @returns an event for each field that really changed (reference facts, events 13.1)
 * @throws ApiError coded, for the first fault of the reference facts, people 13
 */
export async function changeProfile(
  context: PeopleContext,
  client: Client,
  actor: User | undefined,
  user: User,
  change: ProfileChange,
): Promise<EventPart[]> {
  const fields = await lockProfileFieldsInUse(client);
  for (const fieldId of change.removed) getNamedField(fields, fieldId);
  const values = await checkProfileValues(client, fields, change.set, context.renderProfileText);
  const before = await textsOf(client, user);
  const emptied = await deleteProfileValues(client, user.id, change.removed);
  const changed = await setProfileValues(client, user.id, values);
  await checkListRoom(client, context.lists, actor, {
    texts: { profiles: { before, after: await textsOf(client, user) } },
  });
  return [
    ...[...new Set(change.removed)]
      .filter((id) => emptied.has(id))
      .map((id) => personUpdated(user, { custom_profile_field: { id, value: null } })),
    ...values
      .filter(({ fieldId }) => changed.has(fieldId))
      .map(({ fieldId, value, renderedValue }) =>
        personUpdated(user, {
          custom_profile_field: {
            id: fieldId,
            value,
            ...(renderedValue !== null && { rendered_value: renderedValue }),
          },
        }),
      ),
  ];
}

async function textsOf(client: Client, { id }: User): Promise<string[]> {
  const profile = (await listProfiles(client, [id])).get(id) ?? {};
  return Object.values(profile).flatMap(({ value, rendered_value: html = '' }) => [
    typeof value === 'string' ? value : JSON.stringify(value),
    html,
  ]);
}

/** Changes the caller's own profile and tells everybody. */
export async function changeOwnProfile(
  context: PeopleContext,
  caller: Caller,
  change: ProfileChange,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    const events = await changeProfile(context, client, user, user, change);
    if (events.length === 0) return { result: undefined };
    return { result: undefined, append: { entries: [entryForEveryone(events)] } };
  });
}
