/** Whose account somebody has whom a provider signed in (decision 0051). */
import { limits, withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';
import type { IdentityProviderConfig } from '@parley/config';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import type { Append } from '@parley/event-log';
import type { ProvidedIdentity } from '@parley/auth/openid';
import {
  findIdentityAccount,
  findSignInAccount,
  insertIdentity,
  isEmailTaken,
  lockRealmInUse,
  lockUserForOwnChange,
} from '@parley/store';
import type { Realm, SignInAccount } from '@parley/store';

import { checkAdmittedEmail } from '../accounts/create-person.ts';
import { isEmailShaped, prepareEmailRules } from '../accounts/email-rules.ts';
import { checkFullName } from '../accounts/full-name.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';
import { accountDisabled } from '../accounts/sign-in-refusals.ts';
import {
  addJoining,
  checkNeedsNoInvitation,
  takeTerms,
  takeTermsOfAddress,
} from '../account-links/join.ts';
import type { PeopleContext } from '../people-context.ts';
import { addIdentity } from './identities.ts';
import { checkSingleSignOnIsUsed } from './providers.ts';
import { findRoleOfGroups } from './provided-role.ts';

/** The same whether or not an account has the address, because nobody has proved to own that. */
function notLinked({ name }: IdentityProviderConfig): ApiError {
  return withoutCode(
    `No account here belongs to your sign-in at ${name}. If you have one, sign in in another way and link it in the settings; otherwise ask for an invitation.`,
  );
}

/** The address of somebody, if a provider that is trusted with it says that it is verified. */
function provedAddress(
  { isTrusted }: IdentityProviderConfig,
  { email, isEmailVerified }: ProvidedIdentity,
): string | undefined {
  return isTrusted && isEmailVerified && email !== undefined && isEmailShaped(email)
    ? email
    : undefined;
}

/** What a provider calls a person need not be a name here. */
function nameOf({ fullName }: ProvidedIdentity, email: string): string {
  const [localPart = ''] = email.split('@');
  const cleaned = [fullName ?? '', localPart, `Person ${localPart}`].map((text) =>
    Array.from(
      text
        .toWellFormed()
        .replaceAll(/[\p{C}*`\\>"@]/gu, ' ')
        .trim(),
    )
      .slice(0, limits.fullNameMaxCodePoints)
      .join(''),
  );
  return checkFullName(cleaned.find((name) => Array.from(name).length > 1) ?? 'Somebody');
}

type Found = { readonly account: SignInAccount; readonly isMade: boolean };

/** Links the account that has the address. @returns undefined if there is none */
async function linkByAddress(
  client: Client,
  config: IdentityProviderConfig,
  identity: ProvidedIdentity,
  email: string,
): Promise<SignInAccount | undefined> {
  const holder = await findSignInAccount(client, email);
  if (holder === undefined) {
    // Another account shows this address.
    if (await isEmailTaken(client, email)) throw notLinked(config);
    return undefined;
  }
  if (holder.botType !== null || holder.isSystem || !isSameMailbox(holder.deliveryEmail, email))
    throw notLinked(config);
  const locked = await lockUserForOwnChange(client, holder.id);
  if (locked?.isActive !== true) throw accountDisabled();
  // The account may have got another address meanwhile.
  if (!isSameMailbox(locked.deliveryEmail, email)) throw notLinked(config);
  await addIdentity(client, holder.id, identity);
  return holder;
}

async function addAccount(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  config: IdentityProviderConfig,
  identity: ProvidedIdentity,
  email: string,
  invitationId: number | undefined,
): Promise<{ readonly result: Found; readonly append: Append }> {
  const terms =
    invitationId === undefined
      ? await takeTermsOfAddress(client, realm, email)
      : await takeTerms(client, realm, invitationId);
  if (terms === undefined && !config.makesAccounts) checkNeedsNoInvitation(realm);
  await checkAdmittedEmail(client, realm, email);
  const person = { email, fullName: nameOf(identity, email), passwordHash: null };
  const role = findRoleOfGroups(config.roles, identity.groups);
  const added = await addJoining(context, client, realm, person, terms, role);
  await insertIdentity(client, added.result.id, identity);
  return {
    result: { account: { ...added.result, passwordHash: null }, isMade: true },
    append: added.append,
  };
}

/** Finds the account by its address, or makes one, for somebody who comes for the first time. */
async function welcome(
  context: PeopleContext,
  config: IdentityProviderConfig,
  identity: ProvidedIdentity,
  invitationId: number | undefined,
): Promise<Found> {
  const email = provedAddress(config, identity);
  if (email === undefined) throw notLinked(config);
  prepareEmailRules();
  return context.eventLog.transaction(async (client) => {
    const realm = await lockRealmInUse(client);
    checkSingleSignOnIsUsed(realm, context);
    const account = await linkByAddress(client, config, identity, email);
    return account === undefined
      ? addAccount(context, client, realm, config, identity, email, invitationId)
      : { result: { account, isMade: false } };
  });
}

/**
 * Finds the account of an identity. The first time it is the one with the same address, or a new one, if the provider is trusted.
 *
 * @param invitationId of the link by which the person came, if one did; a new account uses it
 * @throws ApiError if there is none, and none may be made, as when the invitation has ended; or if it was deactivated
 */
export async function findAccount(
  context: PeopleContext,
  config: IdentityProviderConfig,
  identity: ProvidedIdentity,
  invitationId: number | undefined,
): Promise<Found> {
  const known = await findIdentityAccount(context.pool, identity);
  if (known !== undefined) return { account: known, isMade: false };
  try {
    return await welcome(context, config, identity, invitationId);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // The same person came in two ways at once.
    const found = await findIdentityAccount(context.pool, identity);
    if (found === undefined) throw notLinked(config);
    return { account: found, isMade: false };
  }
}
