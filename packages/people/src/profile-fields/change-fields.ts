import { checkListRoom, lockAdministrator } from '@parley/store/access';
import { badRequest, limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import { profileFieldJson } from '@parley/store/objects';
import {
  deleteProfileField,
  insertProfileField,
  listProfileFields,
  lockProfileFields,
  orderProfileFields,
  updateProfileField,
} from '@parley/store';
import type { ProfileField } from '@parley/store';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { checkField, isDefaultAccount } from './field-rules.ts';
import type { GivenField } from './field-rules.ts';

/** Changes of the list of profile fields: administrators make them and everybody gets the whole list (reference facts, people 13). */

async function changeList<Result>(
  context: PeopleContext,
  caller: Caller,
  op: 'add' | 'update' | 'delete',
  work: (client: Client, fields: readonly ProfileField[]) => Promise<Result>,
): Promise<Result> {
  return context.eventLog.transaction(async (client) => {
    const actor = await lockAdministrator(client, caller);
    const before = await lockProfileFields(client);
    const result = await work(client, before);
    const after = await listProfileFields(client);
    await checkListRoom(client, context.lists, actor, {
      texts: { profileFields: { before: before.flatMap(textsOf), after: after.flatMap(textsOf) } },
    });
    const fields = after.map(profileFieldJson);
    const event = toEveryone({ type: 'custom_profile_fields', op, fields });
    return { result, append: { entries: [entryForEveryone([event])] } };
  });
}

function textsOf({ name, hint, fieldData }: ProfileField): string[] {
  return [name, hint, fieldData];
}

function getField(fields: readonly ProfileField[], fieldId: number): ProfileField {
  const field = fields.find(({ id }) => id === fieldId);
  if (field === undefined) throw withoutCode(`Field id ${fieldId} not found.`);
  return field;
}

function labelTaken(): Error {
  return withoutCode('A field with that label already exists.');
}

/**
 * @returns the id of the new field
 * @throws ApiError with the first fault of the field, or that its label is taken
 */
export async function addField(
  context: PeopleContext,
  caller: Caller,
  type: number,
  given: GivenField,
): Promise<number> {
  const field = checkField(type, given);
  return changeList(context, caller, 'add', async (client, fields) => {
    if (fields.length >= limits.profileFieldsMax)
      throw badRequest(`There are as many fields as there may be (${limits.profileFieldsMax}).`);
    const added = await insertProfileField(client, field);
    if (added === undefined) throw labelTaken();
    return added.id;
  });
}

/** @throws ApiError as `addField`; without code when there is no such field, or it may not be changed */
export async function changeField(
  context: PeopleContext,
  caller: Caller,
  fieldId: number,
  given: GivenField,
): Promise<void> {
  await changeList(context, caller, 'update', async (client, fields) => {
    const field = getField(fields, fieldId);
    if (isDefaultAccount(field)) throw withoutCode('Default custom field cannot be updated.');
    const changed = checkField(field.type, given);
    if (fields.some(({ id, name }) => id !== field.id && name === changed.name)) throw labelTaken();
    await updateProfileField(client, field.id, changed);
  });
}

/** @throws ApiError without code when there is no such field */
export async function removeField(
  context: PeopleContext,
  caller: Caller,
  fieldId: number,
): Promise<void> {
  await changeList(context, caller, 'delete', async (client, fields) => {
    await deleteProfileField(client, getField(fields, fieldId).id);
  });
}

/**
 * @param order ids of all fields; if an id occurs twice, the last place counts
 * @throws ApiError when one is missing
 */
export async function reorderFields(
  context: PeopleContext,
  caller: Caller,
  order: readonly number[],
): Promise<void> {
  await changeList(context, caller, 'update', async (client, fields) => {
    if (fields.some(({ id }) => !order.includes(id))) throw badRequest('Invalid order mapping.');
    await orderProfileFields(
      client,
      fields.map(({ id }) => id).toSorted((a, b) => order.lastIndexOf(a) - order.lastIndexOf(b)),
    );
  });
}
