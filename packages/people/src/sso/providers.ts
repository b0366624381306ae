/** The OpenID providers of this server, and what is said when they do not sign somebody in (decision 0051). */
import { withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';
import { authenticationMethods, singleSignOnMethod } from '@parley/store/objects';
import type { SignInServer } from '@parley/store/objects';
import { ProviderAnswerFault, ProviderUnavailable } from '@parley/auth/openid';
import type { OpenIdProvider } from '@parley/auth/openid';
import type { Realm } from '@parley/store';

import { noOrganization, organizationDeactivated } from '../accounts/sign-in-refusals.ts';
import type { PeopleContext } from '../people-context.ts';

/** @returns the path of the page that begins a sign-in */
export function signInPath(providerId: string): string {
  return `/sso/${providerId}/start`;
}

/** @returns where a provider sends the browser back */
export function redirectUriOf(
  { publicUrl }: Pick<PeopleContext, 'publicUrl'>,
  providerId: string,
): string {
  return `${publicUrl}/sso/${providerId}/callback`;
}

export function isSingleSignOnUsed(realm: Realm, server: SignInServer): boolean {
  return authenticationMethods(realm, server)[singleSignOnMethod] === true;
}

/** @returns the ids of the providers by which somebody new proves an address, and so can join now; in their order */
export function listJoinProviders(
  realm: Realm,
  context: SignInServer & Pick<PeopleContext, 'identityProviders'>,
): string[] {
  if (realm.isDeactivated || !isSingleSignOnUsed(realm, context)) return [];
  return Array.from(context.identityProviders.values(), ({ config }) => config)
    .filter(({ isTrusted }) => isTrusted)
    .map(({ id }) => id);
}

/** @throws ApiError if nobody signs in by a provider now */
export function checkSingleSignOnIsUsed(realm: Realm | undefined, server: SignInServer): void {
  if (realm === undefined) throw noOrganization();
  if (realm.isDeactivated) throw organizationDeactivated();
  if (!isSingleSignOnUsed(realm, server))
    throw withoutCode('Single sign-on is switched off in this organization.');
}

/** @throws ApiError if the server has none with this id */
export function getProvider(
  { identityProviders }: Pick<PeopleContext, 'identityProviders'>,
  id: string,
): OpenIdProvider {
  const provider = identityProviders.get(id);
  if (provider === undefined) throw withoutCode('There is no such way to sign in.');
  return provider;
}

const reasonMaxLength = 300;

/** The messages of an error and its causes. The library's own are fixed texts; what a provider answered is not among them. */
function reasonOf(error: Error): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages.join(': ').slice(0, reasonMaxLength);
}

/**
 * Asks a provider for something; the operator reads in the log why it failed.
 *
 * @throws ApiError with a text for the person if it does not answer, or does not sign the person in; any other error of the work
 */
export async function askProvider<Result>(
  { noteSignOn }: Pick<PeopleContext, 'noteSignOn'>,
  { config: { id, name } }: OpenIdProvider,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      noteSignOn(id, 'unavailable', reasonOf(error));
      throw doesNotAnswer(name);
    }
    if (error instanceof ProviderAnswerFault) {
      noteSignOn(id, 'invalid', reasonOf(error));
      throw withoutCode(`${name} did not sign you in. Try again.`);
    }
    throw error;
  }
}

function doesNotAnswer(name: string): ApiError {
  return withoutCode(
    `${name} does not answer at the moment. Try again later, or sign in in another way.`,
  );
}
