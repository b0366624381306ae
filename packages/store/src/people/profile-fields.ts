import type { ProfileData, ProfileFieldObject } from '@parley/api/people';
import type { Queryable } from '@parley/database';

/** Custom profile fields and their values (owner of `custom_profile_fields` and `custom_profile_values`). */

/** The types of fields with their names for clients (reference facts, events 4). */
export const profileFieldTypes = {
  SHORT_TEXT: { id: 1, name: 'Short text' },
  LONG_TEXT: { id: 2, name: 'Long text' },
  CHOICE: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date picker' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Person picker' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
} as const;

export type ProfileField = {
  readonly id: number;
  readonly name: string;
  readonly type: ProfileFieldObject['type'];
  readonly hint: string;
  /** JSON text, or empty if the type has none. */
  readonly fieldData: string;
  readonly order: number;
};

const columns = `f.id, f.name, f.type, f.hint, f.field_data AS "fieldData", f.display_order AS "order"`;

/** @returns all fields in their order */
export async function listProfileFields(db: Queryable): Promise<ProfileField[]> {
  const { rows } = await db.query<ProfileField>({
    name: 'store-list-profile-fields',
    text: `SELECT ${columns} FROM custom_profile_fields f ORDER BY f.display_order, f.id`,
  });
  return rows;
}

/** Events contain the whole list, so changes run one at a time, under an advisory lock with this number. */
const fieldsLock = 7_217_004;

/**
 * Locks the list of fields for a change, and blocks people who are setting a value.
 *
 * @returns all fields in their order
 */
export async function lockProfileFields(db: Queryable): Promise<ProfileField[]> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [fieldsLock] });
  const { rows } = await db.query<ProfileField>({
    text: `SELECT ${columns} FROM custom_profile_fields f ORDER BY f.id FOR UPDATE`,
  });
  return rows.toSorted((a, b) => a.order - b.order || a.id - b.id);
}

/** @returns all fields by id, locked against changes until the transaction ends; the account is locked before */
export async function lockProfileFieldsInUse(db: Queryable): Promise<Map<number, ProfileField>> {
  const { rows } = await db.query<ProfileField>({
    text: `SELECT ${columns} FROM custom_profile_fields f ORDER BY f.id FOR SHARE`,
  });
  return new Map(rows.map((field) => [field.id, field]));
}

/**
 * Adds a field at the end of the list, which the caller has locked.
 *
 * @returns undefined if the name is taken
 */
export async function insertProfileField(
  db: Queryable,
  field: Pick<ProfileField, 'name' | 'type' | 'hint' | 'fieldData'>,
): Promise<ProfileField | undefined> {
  const { rows } = await db.query<ProfileField>({
    text: `INSERT INTO custom_profile_fields AS f (name, type, hint, field_data, display_order)
      SELECT $1, $2, $3, $4, coalesce(max(o.display_order) + 1, 0) FROM custom_profile_fields o
      ON CONFLICT (name) DO NOTHING RETURNING ${columns}`,
    values: [field.name, field.type, field.hint, field.fieldData],
  });
  return rows[0];
}

/** Replaces the properties of a field; the caller has locked the list and checked that the name is free. */
export async function updateProfileField(
  db: Queryable,
  fieldId: number,
  field: Pick<ProfileField, 'name' | 'hint' | 'fieldData'>,
): Promise<void> {
  await db.query({
    text: 'UPDATE custom_profile_fields SET name = $2, hint = $3, field_data = $4 WHERE id = $1',
    values: [fieldId, field.name, field.hint, field.fieldData],
  });
}

/** Reorders the fields; the caller has locked the list. */
export async function orderProfileFields(
  db: Queryable,
  fieldIds: readonly number[],
): Promise<void> {
  await db.query({
    text: `UPDATE custom_profile_fields f SET display_order = w.n - 1
      FROM unnest($1::int[]) WITH ORDINALITY w (id, n) WHERE f.id = w.id`,
    values: [fieldIds],
  });
}

/** Deletes a field with all its values; the caller has locked the list. */
export async function deleteProfileField(db: Queryable, fieldId: number): Promise<void> {
  await db.query({ text: 'DELETE FROM custom_profile_fields WHERE id = $1', values: [fieldId] });
}

/** @returns the values of people who have any; of all people, or of those who are given */
export async function listProfiles(
  db: Queryable,
  userIds?: readonly number[],
): Promise<Map<number, ProfileData>> {
  const { rows } = await db.query<{ userId: number; profile: ProfileData }>({
    name: 'store-list-profiles',
    text: `SELECT v.user_id AS "userId",
        json_object_agg(v.field_id, CASE WHEN v.rendered_value IS NULL THEN json_build_object('value', v.value)
          ELSE json_build_object('value', v.value, 'rendered_value', v.rendered_value) END ORDER BY v.field_id) AS profile
      FROM custom_profile_values v WHERE $1::int[] IS NULL OR v.user_id = ANY ($1::int[]) GROUP BY v.user_id`,
    values: [userIds ?? null],
  });
  return new Map(rows.map(({ userId, profile }) => [userId, profile]));
}

export type NewProfileValue = {
  readonly fieldId: number;
  readonly value: string;
  readonly renderedValue: string | null;
};

/**
 * Sets values of a person. The caller has locked account and fields; no field occurs twice.
 *
 * @returns the ids of the fields whose value has changed
 */
export async function setProfileValues(
  db: Queryable,
  userId: number,
  values: readonly NewProfileValue[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ fieldId: number }>({
    text: `INSERT INTO custom_profile_values (user_id, field_id, value, rendered_value)
      SELECT $1, w.* FROM unnest($2::int[], $3::text[], $4::text[]) w
      ON CONFLICT (user_id, field_id) DO UPDATE SET value = excluded.value, rendered_value = excluded.rendered_value
        WHERE custom_profile_values.value <> excluded.value
      RETURNING field_id AS "fieldId"`,
    values: [
      userId,
      values.map(({ fieldId }) => fieldId),
      values.map(({ value }) => value),
      values.map(({ renderedValue }) => renderedValue),
    ],
  });
  return new Set(rows.map(({ fieldId }) => fieldId));
}

/**
 * Deletes values of a person; the caller has locked account and fields.
 *
 * @returns the ids of the fields that had a value
 */
export async function deleteProfileValues(
  db: Queryable,
  userId: number,
  fieldIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ fieldId: number }>({
    text: `DELETE FROM custom_profile_values WHERE user_id = $1 AND field_id = ANY ($2::bigint[])
      RETURNING field_id AS "fieldId"`,
    values: [userId, fieldIds],
  });
  return new Set(rows.map(({ fieldId }) => fieldId));
}
