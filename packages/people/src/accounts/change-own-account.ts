import { getActor } from '@parley/access';
import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { hashPassword, verifyPassword } from '@parley/secrets';
import {
  findSignInAccount,
  getUser,
  lockRealmInUse,
  lockUsersForOwnChange,
  updateUser,
} from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { beginEmailChange, confirmationSent } from '../account-links/change-own-email.ts';
import { entryForEveryone } from './account-events.ts';
import { isNewName, rename } from './change-person.ts';
import { prepareEmailRules } from './email-rules.ts';
import { checkFullName } from './full-name.ts';
import { isPasswordStrong } from './password-strength.ts';

/** The changes that PATCH settings requests; empty texts request none. */
export type OwnChange = {
  readonly fullName: string;
  readonly email: string;
  readonly oldPassword: string;
  readonly newPassword: string;
};

/** The members of the answer: what changed, and whether an address has to be confirmed. */
export type OwnAnswer = { readonly full_name?: string; readonly account_email?: string };

type PasswordChange = { readonly oldHash: string; readonly newHash: string };

/** Checks and makes hashes outside any transaction, because each takes long and needs no lock. */
async function checkPasswordChange(
  context: PeopleContext,
  caller: Caller,
  change: OwnChange,
): Promise<PasswordChange> {
  const { deliveryEmail, fullName } = await getUser(context.pool, caller.userId);
  const account = await findSignInAccount(context.pool, deliveryEmail);
  const isRight = await verifyPassword(change.oldPassword, account?.passwordHash);
  const oldHash = account?.passwordHash ?? '';
  if (!isRight || oldHash === '') throw withoutCode('Wrong password!');
  if (!(await isPasswordStrong(change.newPassword, [fullName, deliveryEmail])))
    throw withoutCode('New password is too weak!');
  return { oldHash, newHash: await hashPassword(change.newPassword) };
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
  const password =
    change.newPassword === '' ? undefined : await checkPasswordChange(context, caller, change);
  if (change.email !== '') prepareEmailRules();
  return context.eventLog.transaction<OwnAnswer>(async (client) => {
    const realm = await lockRealmInUse(client);
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    if (password !== undefined) {
      const { passwordHash } = (await findSignInAccount(client, user.deliveryEmail)) ?? {};
      // Another request with the old password was faster.
      if (passwordHash !== password.oldHash) throw withoutCode('Wrong password!');
    }
    const email = change.email.trim();
    const isOtherEmail = email !== '' && email !== user.deliveryEmail;
    if (isOtherEmail) await beginEmailChange(context, client, realm, user, email);
    // A forbidden change of name is ignored silently, because no client offers it (reference facts, people 9).
    const mayRename = !realm.settings.name_changes_disabled || user.role === 'administrator';
    const fullName =
      mayRename && isNewName(user, change.fullName) ? checkFullName(change.fullName) : undefined;
    if (password !== undefined)
      await updateUser(client, user.id, { passwordHash: password.newHash });
    const events = fullName === undefined ? [] : await rename(context, client, user, fullName);
    return {
      result: {
        ...(fullName !== undefined && { full_name: fullName }),
        ...(isOtherEmail && { account_email: confirmationSent }),
      },
      ...((fullName !== undefined || password !== undefined) && {
        append: {
          entries: [entryForEveryone(events)],
          // Its sessions have ended.
          ...(password !== undefined && { accountUserIds: [user.id] }),
        },
      }),
    };
  });
}
