/** Reads whom somebody invites. */
import { foldName, invitationFailed, limits, withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';

import { checkFullName } from '../accounts/full-name.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';
import { tooSimilar } from './address-faults.ts';

export function nobodyInvited(faults: Parameters<typeof invitationFailed>[1]): ApiError {
  return invitationFailed(
    "Some emails did not validate, so we didn't send any invitations.",
    faults,
    false,
  );
}

export function notInvited(email: string, reason: string): ApiError {
  return nobodyInvited([[email, reason]]);
}

/** A name that mail programs quote because it has commas, with the address that follows it; otherwise what no separator divides. */
const parts = /[^\S\n]*"[^"\n]*"\s*<[^<>]*>|[^,;\n]+/g;

export type Invitee = { readonly email: string; readonly fullName: string | undefined };

/** @returns a name that its person may have; those who have another name change it when they join */
function givenName(text: string): string | undefined {
  try {
    return checkFullName(text.replaceAll('"', ''));
  } catch {
    return undefined;
  }
}

/**
 * Reads addresses separated by commas, semicolons or line ends, each alone or as `Name <address>`.
 *
 * @returns them without repeats, in alphabetical order
 * @throws ApiError if there are none or too many
 */
export function readInvitees(raw: string): Invitee[] {
  const byFoldedEmail = new Map<string, Invitee>();
  for (const [part] of raw.matchAll(parts)) {
    const [, name = '', address = part] = /^(.*)<([^<>]*)>\s*$/s.exec(part) ?? [];
    const email = address.trim();
    if (email === '') continue;
    const earlier = byFoldedEmail.get(foldName(email));
    if (earlier !== undefined && !isSameMailbox(earlier.email, email))
      throw notInvited(email, tooSimilar);
    byFoldedEmail.set(foldName(email), { email, fullName: givenName(name) });
    if (byFoldedEmail.size > limits.inviteesMax)
      throw withoutCode(`At most ${limits.inviteesMax} people can be invited at once.`);
  }
  if (byFoldedEmail.size === 0) throw withoutCode('You must specify at least one email address.');
  return [...byFoldedEmail]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, invitee]) => invitee);
}
