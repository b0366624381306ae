/**
 * People as an identity provider maintains them by SCIM (decision 0052): with the functions, rules, locks and events of the interface's own changes. Each
 * request is one transaction, so it changes everything or nothing.
 */
import { operator } from '@parley/store/access';
import { ApiError, foldName } from '@parley/api';
import { scimRefusal } from '@parley/api/scim';
import type { Append, EventPart } from '@parley/event-log';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import {
  isEmailTaken,
  lockRealmInUse,
  lockUsersForActivityChange,
  lockUsersForOwnChange,
} from '@parley/store';
import { findDeletedByScim, findScimUser, setScimFacts } from '@parley/store/scim';
import type { Realm, User } from '@parley/store';
import type { ScimUser } from '@parley/store/scim';

import { entryForEveryone } from '../accounts/account-events.ts';
import { changeLockedEmail } from '../accounts/change-email.ts';
import { rename } from '../accounts/change-person.ts';
import { checkAdmittedEmail, createPerson, emailInUse } from '../accounts/create-person.ts';
import { endWithBots, isLastAdministrator } from '../accounts/deactivate-account.ts';
import { isEmailShaped, prepareEmailRules } from '../accounts/email-rules.ts';
import { checkFullName } from '../accounts/full-name.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';
import { restore } from '../accounts/reactivate-account.ts';
import type { PeopleContext } from '../people-context.ts';

/** What a request says about a person; absent members stay as they are. */
export type ProvisionedPerson = {
  readonly email?: string | undefined;
  readonly fullName?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly externalId?: string | null | undefined;
};

export type NewProvisionedPerson = ProvisionedPerson & {
  readonly email: string;
  readonly fullName: string;
};

function noSuchUser(userId: number): ApiError {
  return scimRefusal(404, `There is no user ${userId}.`);
}

function addressTaken(email: string): ApiError {
  return scimRefusal(409, emailInUse(email).message, 'uniqueness');
}

function lastAdministrator(): ApiError {
  return scimRefusal(400, 'The last administrator cannot be deactivated.', 'mutability');
}

/** Whether it is what `createPerson` throws for an address that somebody has. */
function isAddressTaken(error: unknown, email: string): boolean {
  return error instanceof ApiError && error.message === emailInUse(email).message;
}

/** @throws ApiError `invalidValue` for an address that is none */
function checkShape(given: string): string {
  const email = given.trim();
  if (!isEmailShaped(email))
    throw scimRefusal(400, 'The userName is not an email address.', 'invalidValue');
  return email;
}

async function setEmail(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  user: User,
  email: string,
): Promise<Append[]> {
  if (email === user.deliveryEmail) return [];
  await checkAdmittedEmail(client, realm, email);
  const isOwnInAnotherForm = isSameMailbox(email, user.deliveryEmail);
  // Whoever has the mails of an administrator gets a password by them, so the token would be worth as much.
  if (user.role === 'administrator' && !isOwnInAnotherForm)
    throw scimRefusal(400, 'The address of an administrator is changed here alone.', 'mutability');
  if (!isOwnInAnotherForm && (await isEmailTaken(client, email))) throw addressTaken(email);
  return [(await changeLockedEmail(context, client, realm, user, email)).append];
}

async function setName(
  context: PeopleContext,
  client: Client,
  user: User,
  fullName: string,
): Promise<Append[]> {
  if (fullName === user.fullName) return [];
  const events: EventPart[] = await rename(context, client, undefined, user, fullName);
  return [{ entries: [entryForEveryone(events)] }];
}

/**
 * @param people locked for a change of activity
 * @throws ApiError `mutability` for the last administrator
 */
async function setActivity(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  people: readonly User[],
  user: User,
  isActive: boolean,
): Promise<Append[]> {
  if (isActive === user.isActive) return [];
  if (isActive) return [await restore(context, client, realm.settings, user, user.role)];
  if (isLastAdministrator(people, user)) throw lastAdministrator();
  return [await endWithBots(context, client, people, user)];
}

/** A change of a person within a transaction that has locked the realm and the people. */
async function applyChange(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  people: readonly User[],
  userId: number,
  change: ProvisionedPerson & { readonly isDeleted?: boolean },
): Promise<Append[]> {
  const user = people.find(({ id }) => id === userId);
  if (user === undefined) throw noSuchUser(userId);
  const { email, fullName, isActive = user.isActive, externalId, isDeleted } = change;
  // Clients know a person from the reactivation on, and until the deactivation.
  const restored = isActive
    ? await setActivity(context, client, realm, people, user, isActive)
    : [];
  const readdressed =
    email === undefined ? [] : await setEmail(context, client, realm, user, email);
  const renamed = fullName === undefined ? [] : await setName(context, client, user, fullName);
  const ended = isActive ? [] : await setActivity(context, client, realm, people, user, isActive);
  if (externalId !== undefined || isDeleted !== undefined)
    await setScimFacts(client, userId, {
      ...(externalId !== undefined && { externalId }),
      ...(isDeleted !== undefined && { isDeleted }),
    });
  return [...restored, ...readdressed, ...renamed, ...ended];
}

async function inTransaction(
  context: PeopleContext,
  email: string | undefined,
  work: (client: Client, realm: Realm) => Promise<readonly [result: number, append: Append[]]>,
): Promise<ScimUser> {
  if (email !== undefined) prepareEmailRules();
  try {
    const id = await context.eventLog.transaction(async (client) => {
      const [result, append] = await work(client, await lockRealmInUse(client));
      return { result, append };
    });
    const user = await findScimUser(context.pool, id);
    if (user === undefined) throw noSuchUser(id);
    return user;
  } catch (error) {
    if (email !== undefined && isUniqueViolation(error)) throw addressTaken(email);
    throw error;
  }
}

/** Takes back a person whom such a program deleted, if one has the address. */
async function restoreDeleted(
  context: PeopleContext,
  person: NewProvisionedPerson,
): Promise<ScimUser | undefined> {
  const emailFolded = foldName(person.email);
  const found = await findDeletedByScim(context.pool, emailFolded);
  if (found === undefined) return undefined;
  return inTransaction(context, person.email, async (client, realm) => {
    const people = await lockUsersForActivityChange(client, found, []);
    if ((await findDeletedByScim(client, emailFolded)) !== found) throw addressTaken(person.email);
    const { isActive = true, externalId = null } = person;
    const change = { ...person, isActive, externalId, isDeleted: false };
    return [found, await applyChange(context, client, realm, people, found, change)];
  });
}

/**
 * Creates a person without a password, who joins the default streams. A person whom such a program deleted comes back with the
 * same account.
 *
 * @throws ApiError with the rules for names and addresses of new people; `uniqueness` if an account has the address
 */
export async function createProvisionedPerson(
  context: PeopleContext,
  given: NewProvisionedPerson,
): Promise<ScimUser> {
  const person = {
    ...given,
    email: checkShape(given.email),
    fullName: checkFullName(given.fullName),
  };
  const restored = await restoreDeleted(context, person);
  if (restored !== undefined) return restored;
  const { email, fullName, externalId } = person;
  let id: number;
  try {
    const user = await createPerson(context, operator, {
      email,
      fullName,
      password: null,
      shortName: undefined,
      ...(typeof externalId === 'string' && { externalId }),
    });
    ({ id } = user);
  } catch (error) {
    if (isAddressTaken(error, email)) throw addressTaken(email);
    throw error;
  }
  return changeProvisionedPerson(context, id, { isActive: person.isActive });
}

/**
 * Changes a person.
 *
 * @param userId any integer
 * @throws ApiError 404; `uniqueness`; `mutability` for the last administrator, and for the address of any; with the rules for names and
 *   addresses
 */
export async function changeProvisionedPerson(
  context: PeopleContext,
  userId: number,
  given: ProvisionedPerson,
): Promise<ScimUser> {
  const found = await findScimUser(context.pool, userId);
  if (found === undefined) throw noSuchUser(userId);
  const change = {
    ...given,
    email: given.email === undefined ? undefined : checkShape(given.email),
    fullName: given.fullName === undefined ? undefined : checkFullName(given.fullName),
    isActive: given.isActive === found.isActive ? undefined : given.isActive,
  };
  const changesNothing = Object.values(change).every((value) => value === undefined);
  if (changesNothing) return found;
  return inTransaction(context, change.email, async (client, realm) => {
    const people =
      change.isActive === undefined
        ? await lockUsersForOwnChange(client, [userId])
        : await lockUsersForActivityChange(client, userId, []);
    if ((await findScimUser(client, userId)) === undefined) throw noSuchUser(userId);
    return [userId, await applyChange(context, client, realm, people, userId, change)];
  });
}

/**
 * Deactivates a person, who is not to be seen by SCIM until active again.
 *
 * @param userId any integer
 * @throws ApiError 404, also if that was done before; `mutability` for the last administrator
 */
export async function deleteProvisionedPerson(
  context: PeopleContext,
  userId: number,
): Promise<void> {
  if ((await findScimUser(context.pool, userId)) === undefined) throw noSuchUser(userId);
  await context.eventLog.transaction(async (client) => {
    const realm = await lockRealmInUse(client);
    const people = await lockUsersForActivityChange(client, userId, []);
    if ((await findScimUser(client, userId)) === undefined) throw noSuchUser(userId);
    const change = { isActive: false, externalId: null, isDeleted: true };
    const append = await applyChange(context, client, realm, people, userId, change);
    return { result: undefined, append };
  });
}
