import { badRequest, makeCheck, limits, valueTooLong } from '@parley/api';
import { defaultExternalAccounts } from '@parley/store/objects';
import { profileFieldTypes } from '@parley/store';
import type { ProfileField } from '@parley/store';

/** The rules for custom profile fields (reference facts, people 13). */

const nameMax = 40;
const hintMax = 80;

/** A field as given by a client. */
export type GivenField = {
  readonly name: string;
  readonly hint: string;
  /** Decoded JSON. */
  readonly fieldData: unknown;
};

type JsonHolder = Parameters<ReturnType<typeof makeCheck>>[0];
const holding = (value: unknown): JsonHolder => ({ '': value });

const checkHint = makeCheck({ type: 'string', maxLength: hintMax });
const checkName = makeCheck({ type: 'string', maxLength: nameMax });
const checkObject = makeCheck({ type: 'object' });
const requiredText = { type: 'string', notBlank: true } as const;
const checkChoice = makeCheck({
  type: 'object',
  properties: { text: requiredText, order: requiredText },
  required: ['text', 'order'],
  additionalProperties: false,
});
const checkAccount = makeCheck({
  type: 'object',
  properties: { subtype: requiredText, url_pattern: { type: 'string' } },
  required: ['subtype'],
  additionalProperties: false,
});
const checkProfileUrl = makeCheck({
  type: 'string',
  format: 'url',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
  refusal: 'is not a URL',
});

function checkChoices(fieldData: unknown): void {
  const isEmptyList = Array.isArray(fieldData) && fieldData.length === 0;
  const choices = isEmptyList ? {} : checkObject(holding(fieldData), 'field_data');
  const entries = Object.entries(choices as Record<string, unknown>);
  if (entries.length === 0) throw badRequest('Field must have at least one choice.');
  for (const [value, choice] of entries) {
    if (value.trim() === '') throw badRequest("'value' cannot be blank.");
    checkChoice(holding(choice), 'field_data');
  }
}

type AccountData = { readonly subtype: string; readonly url_pattern?: string };

function checkUrlPattern(pattern: string): void {
  const placeholder = '%(username)s';
  if (pattern.split(placeholder).length !== 2) throw badRequest('Malformed URL pattern.');
  const url = pattern.replace(placeholder, 'username');
  checkProfileUrl(holding(url), 'field_data["url_pattern"]');
}

function checkExternalAccount(fieldData: unknown): AccountData {
  const account = checkAccount(holding(fieldData), 'field_data') as AccountData;
  if (account.url_pattern !== undefined) checkUrlPattern(account.url_pattern);
  if (Object.hasOwn(defaultExternalAccounts, account.subtype)) return account;
  if (account.subtype !== 'custom') throw badRequest('Invalid external account type');
  if (account.url_pattern === undefined)
    throw badRequest('Custom external account must define url pattern');
  return account;
}

/** @throws ApiError coded if it is larger than a list of fields should carry */
function jsonText(fieldData: unknown): string {
  const text = JSON.stringify(fieldData);
  const max = limits.smallJsonMaxLength;
  if (text.length > max) throw valueTooLong('field_data', max);
  return text;
}

function checkNameAndHint({ name, hint }: GivenField): void {
  if (name.trim() === '') throw badRequest('Label cannot be blank.');
  checkHint(holding(hint), 'hint');
  checkName(holding(name.trim()), 'name');
}

/**
 * Checks a new or changed field.
 *
 * @returns the field to store; a field for a well-known account has that account's name and hint
 * @throws ApiError coded, with the first fault
 */
export function checkField(
  type: number,
  given: GivenField,
): Pick<ProfileField, 'name' | 'type' | 'hint' | 'fieldData'> {
  let fieldData = '';
  if (type === profileFieldTypes.CHOICE.id) {
    checkChoices(given.fieldData);
    fieldData = jsonText(given.fieldData);
  }
  if (type === profileFieldTypes.EXTERNAL_ACCOUNT.id) {
    const account = checkExternalAccount(given.fieldData);
    const known = Object.hasOwn(defaultExternalAccounts, account.subtype)
      ? defaultExternalAccounts[account.subtype]
      : undefined;
    if (known !== undefined)
      return {
        name: known.name,
        hint: known.hint,
        type,
        fieldData: JSON.stringify({ subtype: account.subtype }),
      };
    fieldData = jsonText(account);
  }
  checkNameAndHint(given);
  const known = Object.values(profileFieldTypes).find(({ id }) => id === type);
  if (known === undefined) throw badRequest('Invalid field type.');
  return { name: given.name.trim(), type: known.id, hint: given.hint, fieldData };
}

/** @returns whether a field is for a well-known account, whose description is fixed */
export function isDefaultAccount(field: ProfileField): boolean {
  if (field.type !== profileFieldTypes.EXTERNAL_ACCOUNT.id) return false;
  return (JSON.parse(field.fieldData) as AccountData).subtype !== 'custom';
}
