import { badRequest, makeCheck, limits } from '@parley/api';
import type { Queryable } from '@parley/database';
import type { JsonSchema } from '@parley/api';
import { findUsersByIds, profileFieldTypes } from '@parley/store';
import type { NewProfileValue, ProfileField } from '@parley/store';

/** The rules for values of profile fields (reference facts, people 13). */

/** One element of `data`: a field and its new value. */
export type GivenValue = { readonly id: number; readonly value: unknown };

const shortTextMax = 50;
const longTextMax = 500;

const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength });

const schemas: Readonly<Record<number, JsonSchema>> = {
  [profileFieldTypes.SHORT_TEXT.id]: text(shortTextMax),
  [profileFieldTypes.LONG_TEXT.id]: text(longTextMax),
  [profileFieldTypes.CHOICE.id]: { type: 'string' },
  [profileFieldTypes.DATE.id]: { type: 'string', format: 'date' },
  [profileFieldTypes.URL.id]: { type: 'string', format: 'url', maxLength: 2000 },
  [profileFieldTypes.EXTERNAL_ACCOUNT.id]: text(shortTextMax),
};

const checks = new Map(
  Object.entries(schemas).map(([type, schema]) => [Number(type), makeCheck(schema)]),
);
const checkUserIds = makeCheck({
  type: 'array',
  items: { type: 'integer' },
  maxItems: limits.pickedPeopleMax,
});

/** Types whose values are shown as HTML (reference facts, people 7.1). */
const renderedTypes: ReadonlySet<number> = new Set([
  profileFieldTypes.SHORT_TEXT.id,
  profileFieldTypes.LONG_TEXT.id,
]);

/** The form in which the parameter parser passes a value to the checks. */
type Holder = Parameters<typeof checkUserIds>[0];
const holding = (value: unknown): Holder => ({ '': value });

async function checkPeople(db: Queryable, value: unknown): Promise<string> {
  const userIds = checkUserIds(holding(value), 'User IDs') as number[];
  // An id that no account can have would not fit the column.
  const possible = userIds.filter((id) => id > 0 && id < 2 ** 31);
  const users = new Map((await findUsersByIds(db, possible)).map((user) => [user.id, user]));
  for (const userId of userIds) {
    const user = users.get(userId);
    if (user === undefined) throw badRequest(`Invalid user ID: ${userId}`);
    if (!user.isActive) throw badRequest(`User with ID ${userId} is deactivated`);
    if (user.botType !== null) throw badRequest(`User with ID ${userId} is a bot`);
  }
  return JSON.stringify(userIds);
}

function checkChoice(field: ProfileField, value: string): void {
  const choices = JSON.parse(field.fieldData) as Readonly<Record<string, unknown>>;
  if (!Object.hasOwn(choices, value))
    throw badRequest(`'${value}' is not a valid choice for '${field.name}'.`);
}

async function checkValue(db: Queryable, field: ProfileField, value: unknown): Promise<string> {
  if (field.type === profileFieldTypes.USER.id) return checkPeople(db, value);
  const checked = checks.get(field.type)?.(holding(value), field.name) as string;
  if (field.type === profileFieldTypes.CHOICE.id) checkChoice(field, checked);
  return checked;
}

/** Finds a field that user data names. */
export function getNamedField(
  fields: ReadonlyMap<number, ProfileField>,
  fieldId: number,
): ProfileField {
  const field = fields.get(fieldId);
  if (field === undefined) throw badRequest(`Field id ${fieldId} not found.`);
  return field;
}

/**
 * Checks values in the given order; if a field occurs twice, the last value counts.
 *
 * @param fields all fields by id, locked
 * @param render makes HTML of a text
 * @throws ApiError coded, for the first value that its field does not permit
 */
export async function checkProfileValues(
  db: Queryable,
  fields: ReadonlyMap<number, ProfileField>,
  given: readonly GivenValue[],
  render: (text: string) => string,
): Promise<NewProfileValue[]> {
  const values = new Map<number, NewProfileValue>();
  for (const { id, value } of given) {
    const field = getNamedField(fields, id);
    const checked = await checkValue(db, field, value);
    values.set(id, {
      fieldId: id,
      value: checked,
      renderedValue: renderedTypes.has(field.type) ? render(checked) : null,
    });
  }
  return [...values.values()];
}
