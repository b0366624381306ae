/** The address of an account that others see, which is the value of `users.email`. */
import { emailAddressVisibilities } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';

/** How the organization shows the addresses of people (reference facts, people 7.7). */
export type EmailPolicy = {
  readonly emailsHidden: boolean;
  /** The domain of addresses that the server makes up: those of bots, and of people whose address is hidden. */
  readonly domain: string;
};

/** @returns whether the organization hides people's addresses from everybody except administrators */
export function hidesEmails(settings: Pick<RealmSettings, 'email_address_visibility'>): boolean {
  return settings.email_address_visibility === emailAddressVisibilities.administrators;
}

/** @param publicUrl the address of the server for clients; its host without port is the domain of made-up addresses */
export function emailPolicy(
  settings: Pick<RealmSettings, 'email_address_visibility'>,
  publicUrl: string,
): EmailPolicy {
  return { emailsHidden: hidesEmails(settings), domain: generatedEmailDomain(publicUrl) };
}

/** @returns the domain of the addresses of bots and of people with a hidden address (reference facts, people 7.7 and 8) */
export function generatedEmailDomain(publicUrl: string): string {
  return new URL(publicUrl).hostname;
}

/**
 * The only rule for the address of an account that others see. `User.email` stores its result, for every answer and event. It is applied
 * when an account is created, and by `applyEmailPolicy` when the organization changes its policy.
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
