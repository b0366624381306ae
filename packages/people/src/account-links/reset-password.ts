/** A new password for whoever reads the mails of the account (decision 0050). */
import { withoutCode } from '@parley/api';
import { transaction } from '@parley/database';
import { quote } from '@parley/outgoing/mail';
import { hashPassword } from '@parley/auth/secrets';
import {
  findSignInAccount,
  getUser,
  lockRealmInUse,
  lockUserForOwnChange,
  resetKind,
} from '@parley/store';
import { findToken, hasRoomForToken, insertToken, takeToken } from '@parley/store/account-tokens';

import { entryForEveryone } from '../accounts/account-events.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';
import { isPasswordStrong } from '../accounts/password-strength.ts';
import { replaceLostPassword } from '../accounts/replace-lost-password.ts';
import { checkEmailShape } from '../accounts/sign-in-refusals.ts';
import { hasRoomForMail } from '../mails/mail-room.ts';
import { nobody, writeMail } from '../mails/write-mail.ts';
import type { PeopleContext } from '../people-context.ts';
import {
  checkPasswordsAreUsed,
  checkSendsMails,
  checkTokenShape,
  getRealmWithPasswords,
  linkNotValid,
  makeLink,
} from './links.ts';

const purpose = resetKind;
const validSecs = 3_600;

/**
 * Mails a link to the address, if it belongs to an active account of a person. Nobody learns from the answer, or from the time it takes,
 * whether it does: the same is written in both cases, and a mail to nobody is not sent.
 *
 * @throws ApiError if the address is none, or passwords or mails are not used
 */
export async function requestPasswordReset(context: PeopleContext, email: string): Promise<void> {
  checkSendsMails(context);
  const asked = checkEmailShape(email);
  const realm = await getRealmWithPasswords(context);
  await transaction(context.pool, async (client) => {
    const hasRoom = await hasRoomForToken(client, purpose, asked);
    const account = await findSignInAccount(client, asked);
    const isOpen =
      account?.isActive === true &&
      account.botType === null &&
      !account.isSystem &&
      isSameMailbox(account.deliveryEmail, asked);
    const recipient = isOpen ? account.deliveryEmail : undefined;
    if (!hasRoom || !(await hasRoomForMail(context, client, 'resets', recipient))) return;
    const { token, url } = makeLink(context, 'reset');
    await insertToken(client, {
      purpose,
      userId: isOpen ? account.id : undefined,
      email: asked,
      token,
      validSecs,
    });
    await writeMail(context, client, {
      kind: purpose,
      recipient: recipient ?? nobody,
      expiresInSecs: validSecs,
      letter: {
        subject: ['A new password for ', quote(realm.name)],
        paragraphs: [
          ['Somebody asked for a new password for your account in ', quote(realm.name), '.'],
          ['Choose it within an hour. The link works once.'],
        ],
        action: { label: 'Choose a new password', url },
        ending: ['If it was not you, do nothing: your password stays as it is.'],
      },
    });
  });
}

/**
 * Replaces the password of the account that a link is for, and ends all else by which somebody may have the account.
 *
 * @returns the address of the account, with which the person signs in
 * @throws ApiError if the link is not good any more, or the password is too weak; then nothing has changed
 */
export async function resetPassword(
  context: PeopleContext,
  token: string,
  password: string,
): Promise<{ readonly email: string }> {
  checkTokenShape(token);
  await getRealmWithPasswords(context);
  // What costs time comes after it, so strangers without a link cannot ask for it.
  const found = await findToken(context.pool, purpose, token);
  if (found === undefined) throw linkNotValid();
  const { fullName, deliveryEmail } = await getUser(context.pool, found.userId);
  if (!(await isPasswordStrong(password, [fullName, deliveryEmail])))
    throw withoutCode('New password is too weak!');
  const passwordHash = await hashPassword(password);
  return context.eventLog.transaction(async (client) => {
    checkPasswordsAreUsed(await lockRealmInUse(client), context);
    const user = await lockUserForOwnChange(client, found.userId);
    // Another request with the link was faster, or the account was deactivated or got another address meanwhile.
    const isSame = user?.isActive === true && isSameMailbox(user.deliveryEmail, found.email);
    if (!isSame || !(await takeToken(client, purpose, token))) throw linkNotValid();
    const { events, effects, userIds } = await replaceLostPassword(
      context,
      client,
      user,
      passwordHash,
    );
    return {
      result: { email: user.deliveryEmail },
      append: { entries: [entryForEveryone(events, effects)], accountUserIds: userIds },
    };
  });
}
