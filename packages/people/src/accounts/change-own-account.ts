import { lockOwnAccount } from '@parley/store/access';
import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { hashPassword } from '@parley/auth/secrets';
import { getUser, lockRealmInUse, updateUser } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { beginEmailChange, confirmationSent } from '../account-links/change-own-email.ts';
import { entryForEveryone } from './account-events.ts';
import { isNewName, rename } from './change-person.ts';
import { prepareEmailRules } from './email-rules.ts';
import { checkFullName } from './full-name.ts';
import { isPasswordStrong } from './password-strength.ts';
import { prepareProof, wrongPassword } from './prove-caller.ts';

/** The changes that PATCH settings requests; empty texts request none. */
export type OwnChange = {
  readonly fullName: string;
  readonly email: string;
  readonly oldPassword: string;
  readonly newPassword: string;
};

/** The members of the answer: what changed, and whether an address has to be confirmed. */
export type OwnAnswer = { readonly full_name?: string; readonly account_email?: string };

/** Makes the hash outside any transaction, because it takes long and needs no lock. */
async function hashNewPassword(
  context: PeopleContext,
  caller: Caller,
  password: string,
): Promise<string> {
  const { deliveryEmail, fullName } = await getUser(context.pool, caller.userId);
  if (!(await isPasswordStrong(password, [fullName, deliveryEmail])))
    throw withoutCode('New password is too weak!');
  return hashPassword(password);
}

/**
 * Changes the caller's own name and password, and begins a change of address (reference facts, people 9). All of it is done, or nothing.
 *
 * @throws ApiError with the first refusal of the reference facts, people 9
 */
export async function changeOwnAccount(
  context: PeopleContext,
  caller: Caller,
  change: OwnChange,
): Promise<OwnAnswer> {
  if (change.fullName === '' && change.newPassword === '' && change.email === '')
    throw withoutCode('Please fill out all fields.');
  const hasNewPassword = change.newPassword !== '';
  if (hasNewPassword && change.oldPassword === '') throw wrongPassword();
  const isProofAsked = hasNewPassword || change.email !== '';
  const prove = await prepareProof(context, caller, isProofAsked ? change.oldPassword : undefined);
  const passwordHash = hasNewPassword
    ? await hashNewPassword(context, caller, change.newPassword)
    : undefined;
  if (change.email !== '') prepareEmailRules();
  return context.eventLog.transaction<OwnAnswer>(async (client) => {
    const realm = await lockRealmInUse(client);
    const user = await lockOwnAccount(client, caller);
    const email = change.email.trim();
    const isOtherEmail = email !== '' && email !== user.deliveryEmail;
    if (hasNewPassword || isOtherEmail) await prove(client);
    if (isOtherEmail) await beginEmailChange(context, client, realm, user, email);
    // A forbidden change of name is ignored silently, because no client offers it (reference facts, people 9).
    const mayRename = !realm.settings.name_changes_disabled || user.role === 'administrator';
    const fullName =
      mayRename && isNewName(user, change.fullName) ? checkFullName(change.fullName) : undefined;
    if (passwordHash !== undefined) await updateUser(client, user.id, { passwordHash });
    const events =
      fullName === undefined ? [] : await rename(context, client, user, user, fullName);
    return {
      result: {
        ...(fullName !== undefined && { full_name: fullName }),
        ...(isOtherEmail && { account_email: confirmationSent }),
      },
      ...((fullName !== undefined || passwordHash !== undefined) && {
        append: {
          entries: [entryForEveryone(events)],
          // Its sessions have ended.
          ...(passwordHash !== undefined && { accountUserIds: [user.id] }),
        },
      }),
    };
  });
}
