/** People as resources of SCIM (RFC 7643, 4.1; decision 0052). */
import { limits } from '@parley/api';
import { scimRefusal } from '@parley/api/scim';
import type { ProvisionedPerson } from '@parley/people';
import { attributeName, matches, membersOf, schemas } from '@parley/api/scim-language';
import type { FilterValue, PatchOperation } from '@parley/api/scim-language';
import type { ScimUser } from '@parley/store/scim';

import type { ScimResource } from './answers.ts';

/** @param base the address of SCIM at this server */
export function userResource(user: ScimUser, base: string): ScimResource {
  const { id, deliveryEmail, fullName, isActive, externalId, dateJoined } = user;
  return {
    schemas: [schemas.user],
    id: String(id),
    ...(externalId !== null && { externalId }),
    userName: deliveryEmail,
    displayName: fullName,
    name: { formatted: fullName },
    emails: [{ value: deliveryEmail, type: 'work', primary: true }],
    active: isActive,
    meta: { resourceType: 'User', created: dateJoined, location: `${base}/Users/${id}` },
  };
}

/** What a request says, by the attributes that this server keeps, in lower case. */
type Wish = {
  userName?: string;
  email?: string;
  displayName?: string;
  formatted?: string;
  givenName?: string;
  familyName?: string;
  active?: boolean;
  externalId?: string | null;
};

/** The names as the schema writes them, by the form in which all are compared. */
const writtenNames: ReadonlyMap<string, string> = new Map(
  ['userName', 'displayName', 'name.formatted', 'name.givenName', 'name.familyName'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);

function written(attribute: string): string {
  return writtenNames.get(attribute) ?? attribute;
}

function invalid(attribute: string, what: string): Error {
  return scimRefusal(400, `${written(attribute)} is not ${what}.`, 'invalidValue');
}

/** Names without content say nothing: some programs send all that they know. */
function nameOf(attribute: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'string') throw invalid(attribute, 'a text');
  return value.trim() === '' ? undefined : value.trim();
}

/** Entra writes booleans as texts. */
function booleanOf(attribute: string, value: unknown): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  throw invalid(attribute, 'true or false');
}

/** @returns null if it is taken away */
export function externalIdOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string') throw invalid('externalId', 'a text');
  if (Array.from(value).length > limits.scimExternalIdMaxCodePoints)
    throw invalid('externalId', `at most ${limits.scimExternalIdMaxCodePoints} characters long`);
  return value;
}

/** The one address of a list: the primary one, else that of work, else the first. */
function addressOf(value: unknown): string | undefined {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > limits.scimEmailsMax)
    throw invalid('emails', `a list of at most ${limits.scimEmailsMax}`);
  const list = given.map((each) => {
    const members = membersOf(each);
    if (members === undefined) throw invalid('emails', 'a list of objects');
    return members;
  });
  const chosen =
    list.find((members) => members.get('primary') === true) ??
    list.find((members) => members.get('type') === 'work') ??
    list[0];
  return nameOf('emails', chosen?.get('value'));
}

function setName(wish: Wish, value: unknown): void {
  const members = membersOf(value);
  if (members === undefined) throw invalid('name', 'an object');
  for (const [name, member] of members) setAttribute(wish, `name.${name}`, member);
}

type Part = 'userName' | 'email' | 'displayName' | 'formatted' | 'givenName' | 'familyName';

const texts: ReadonlyMap<string, Part> = new Map([
  ['username', 'userName'],
  ['emails.value', 'email'],
  ['displayname', 'displayName'],
  ['name.formatted', 'formatted'],
  ['name.givenname', 'givenName'],
  ['name.familyname', 'familyName'],
]);

/** Sets an attribute. Those that this server does not keep are ignored. */
function setAttribute(wish: Wish, attribute: string, value: unknown): void {
  const part = texts.get(attribute);
  if (part !== undefined) {
    const text = nameOf(attribute, value);
    if (text !== undefined) wish[part] = text;
  } else if (attribute === 'name') setName(wish, value);
  else if (attribute === 'active') wish.active = booleanOf(attribute, value);
  else if (attribute === 'externalid') wish.externalId = externalIdOf(value);
  else if (attribute === 'emails') {
    const email = addressOf(value);
    if (email !== undefined) wish.email = email;
  }
}

function setAll(wish: Wish, members: ReadonlyMap<string, unknown>): void {
  for (const [name, value] of members) {
    const nested = name === schemas.user.toLowerCase() ? membersOf(value) : undefined;
    if (nested === undefined) setAttribute(wish, attributeName(name), value);
    else for (const [inner, member] of nested) setAttribute(wish, inner, member);
  }
}

/** A part of a name alone says nothing of the whole name, which is all that this server keeps. */
function fullNameOf({ displayName, formatted, givenName, familyName }: Wish): string | undefined {
  if (displayName !== undefined || formatted !== undefined) return displayName ?? formatted;
  return givenName === undefined || familyName === undefined
    ? undefined
    : `${givenName} ${familyName}`;
}

function personOf(wish: Wish): ProvisionedPerson {
  return {
    email: wish.userName ?? wish.email,
    fullName: fullNameOf(wish),
    isActive: wish.active,
    externalId: wish.externalId,
  };
}

/**
 * Reads the body of a POST or PUT.
 *
 * @throws ApiError `invalidSyntax`, `invalidValue`
 */
export function readUser(body: unknown): ProvisionedPerson & {
  readonly email: string;
  readonly fullName: string;
} {
  const members = membersOf(body);
  if (members === undefined) throw scimRefusal(400, 'The body is no object.', 'invalidSyntax');
  const wish: Wish = {};
  setAll(wish, members);
  const { userName, givenName, familyName } = wish;
  if (userName === undefined) throw scimRefusal(400, 'userName is missing.', 'invalidValue');
  const fullName =
    fullNameOf(wish) ?? givenName ?? familyName ?? userName.slice(0, userName.lastIndexOf('@'));
  return { ...personOf(wish), email: userName, fullName };
}

/** Whether the element of a list that an operation names is the one address of the person. */
function concernsAddress({ path }: PatchOperation, user: ScimUser): boolean {
  if (path?.filter === undefined) return true;
  const values = new Map<string, FilterValue>([
    ['type', 'work'],
    ['primary', true],
    ['value', user.deliveryEmail],
  ]);
  return matches(path.filter, values);
}

const kept: ReadonlySet<string> = new Set(['username', 'active', 'emails', 'emails.value']);

/**
 * Reads the operations of a PATCH, in their order.
 *
 * @throws ApiError `invalidValue`, `mutability`
 */
export function readUserChange(
  operations: readonly PatchOperation[],
  user: ScimUser,
): ProvisionedPerson {
  const wish: Wish = {};
  for (const operation of operations) {
    const { op, path, value } = operation;
    if (path === undefined) setAll(wish, membersOf(value) ?? new Map());
    else if (op === 'remove') {
      if (path.attribute === 'externalid') wish.externalId = null;
      if (kept.has(path.attribute) && concernsAddress(operation, user))
        throw scimRefusal(400, `${written(path.attribute)} cannot be removed.`, 'mutability');
    } else if (concernsAddress(operation, user)) setAttribute(wish, path.attribute, value);
  }
  return personOf(wish);
}
