/** Why an address cannot become that of an account (reference facts, people 9 and 14.5). */
import type { Client } from '@parley/database';
import { findSignInAccount, isEmailTaken } from '@parley/store';
import type { Realm } from '@parley/store';

import { findEmailFault, isEmailShaped, listAdmittedDomains } from '../accounts/email-rules.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';

export const hasAccount = 'Already has an account.';
export const tooSimilar = 'Too similar to the address of somebody else.';

const reasons = {
  shape: 'Invalid address.',
  'outside domain': 'Outside your domain.',
  disposable: 'Please use your real email address.',
  plus: 'Email addresses containing + are not allowed.',
} as const;

export type AddressFault = {
  readonly email: string;
  /** As clients show it. */
  readonly reason: string;
  readonly isTaken: boolean;
  /** The person who has the address; undefined if that is nobody who could sign in. */
  readonly holderId: number | undefined;
};

/** @returns the first fault of each address that has one, in their order */
export async function findAddressFaults(
  client: Client,
  { settings }: Pick<Realm, 'settings'>,
  emails: readonly string[],
): Promise<AddressFault[]> {
  const domains = await listAdmittedDomains(client, settings);
  const faults: AddressFault[] = [];
  for (const email of emails) {
    const fault = isEmailShaped(email) ? findEmailFault(email, settings, domains) : 'shape';
    if (fault !== undefined)
      faults.push({ email, reason: reasons[fault], isTaken: false, holderId: undefined });
    else if (await isEmailTaken(client, email)) {
      const holder = await findSignInAccount(client, email);
      if (holder !== undefined && !isSameMailbox(holder.deliveryEmail, email)) {
        faults.push({ email, reason: tooSimilar, isTaken: false, holderId: undefined });
        continue;
      }
      const reason = holder?.isActive === false ? 'Account has been deactivated.' : hasAccount;
      faults.push({ email, reason, isTaken: true, holderId: holder?.id });
    }
  }
  return faults;
}
