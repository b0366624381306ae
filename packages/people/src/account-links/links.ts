/** Links in mails that open an account (decision 0050). */
import { badRequest, withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';
import { authenticationMethods } from '@parley/store/objects';
import type { SignInServer } from '@parley/store/objects';
import { makeSessionToken, sessionTokenPattern } from '@parley/auth/secrets';
import { findRealm } from '@parley/store';
import type { Realm } from '@parley/store';

import {
  noOrganization,
  organizationDeactivated,
  passwordSignInDisabled,
} from '../accounts/sign-in-refusals.ts';
import type { PeopleContext } from '../people-context.ts';

/** Pages of the web client that take a token, as the part of their address after the hash. */
export type LinkPage = 'reset' | 'confirm' | 'join';

export function linkNotValid(): ApiError {
  return badRequest('This link is not valid any more.');
}

/** @throws ApiError if this server sends no mails */
export function checkSendsMails({ sendsMails }: Pick<PeopleContext, 'sendsMails'>): void {
  if (!sendsMails) throw withoutCode('This server sends no mails.');
}

/**
 * Makes a link.
 *
 * @returns its secret, of which only the hash is stored, and its address; what follows the hash sign is in no request, so in no log
 */
export function makeLink(
  { publicUrl }: Pick<PeopleContext, 'publicUrl'>,
  page: LinkPage,
): { readonly token: string; readonly url: string } {
  const token = makeSessionToken();
  return { token, url: addressOfLink({ publicUrl }, page, token) };
}

export function addressOfLink(
  { publicUrl }: Pick<PeopleContext, 'publicUrl'>,
  page: LinkPage,
  token: string,
): string {
  return `${publicUrl}/#${page}/${token}`;
}

/** @throws ApiError for what cannot be the secret of a link, before anything is looked up */
export function checkTokenShape(token: string): void {
  if (!sessionTokenPattern.test(token)) throw linkNotValid();
}

function hasPasswords(realm: Realm, server: SignInServer): boolean {
  return authenticationMethods(realm, server)['Email'] === true;
}

/**
 * Finds the organization, for somebody who is not signed in.
 *
 * @throws ApiError if there is none yet, or nobody can sign in with a password
 */
export async function getRealmWithPasswords(
  context: SignInServer & Pick<PeopleContext, 'pool'>,
): Promise<Realm> {
  const realm = await findRealm(context.pool);
  if (realm === undefined) throw noOrganization();
  checkPasswordsAreUsed(realm, context);
  return realm;
}

/** @throws ApiError if nobody can sign in with a password */
export function checkPasswordsAreUsed(realm: Realm, context: SignInServer): void {
  if (realm.isDeactivated) throw organizationDeactivated();
  if (!hasPasswords(realm, context)) throw passwordSignInDisabled();
}

/** @returns whether people join without an invitation, at an address that the organization admits */
export function isOpenToStrangers(
  realm: Realm,
  context: SignInServer & Pick<PeopleContext, 'sendsMails'>,
): boolean {
  return (
    context.sendsMails &&
    !realm.isDeactivated &&
    !realm.settings.invite_required &&
    hasPasswords(realm, context)
  );
}
