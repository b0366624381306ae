/** The address that others see of an account, which is what `users.email` holds. */
import { emailAddressVisibilities } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';

/** How the organization shows the addresses of people (reference facts, people 7.7). */
export type EmailPolicy = {
  readonly emailsHidden: boolean;
  /** Of addresses that the server makes up: those of hidden people, and of bots. */
  readonly domain: string;
};

/** @returns whether the organization hides the addresses of people from everybody but administrators */
export function hidesEmails(settings: Pick<RealmSettings, 'email_address_visibility'>): boolean {
  return settings.email_address_visibility === emailAddressVisibilities.administrators;
}

/** @param publicUrl where clients reach the server; its host without port is the domain of made-up addresses */
export function emailPolicy(
  settings: Pick<RealmSettings, 'email_address_visibility'>,
  publicUrl: string,
): EmailPolicy {
  return { emailsHidden: hidesEmails(settings), domain: generatedEmailDomain(publicUrl) };
}

/** @returns the domain of the addresses of bots and of people whose own is hidden (reference facts, people 7.7 and 8) */
export function generatedEmailDomain(publicUrl: string): string {
  return new URL(publicUrl).hostname;
}

/**
 * The one rule for the address that others see of an account. `User.email` holds its result, in every answer and event: it is
 * applied when an account is made and by `applyEmailPolicy` when the organization changes its mind.
 *
 * @param account with its real address
 */
export function shownEmail(
  account: { readonly id: number; readonly email: string; readonly botType: number | null },
  policy: EmailPolicy,
): string {
  return policy.emailsHidden && account.botType === null
    ? `user${account.id}@${policy.domain}`
    : account.email;
}
