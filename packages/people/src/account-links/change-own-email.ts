/** Another address of one's own account, which a mail to it confirms (reference facts, people 9; decision 0050). */
import { withoutCode } from '@parley/api';
import type { Client } from '@parley/database';
import { quote } from '@parley/outgoing/mail';
import { lockRealmInUse, lockUserForOwnChange } from '@parley/store';
import type { Realm, User } from '@parley/store';
import { findToken, hasRoomForToken, insertToken, takeToken } from '@parley/store/account-tokens';
import { isUniqueViolation } from '@parley/database';

import { changeLockedEmail } from '../accounts/change-email.ts';
import { prepareEmailRules } from '../accounts/email-rules.ts';
import { organizationDeactivated } from '../accounts/sign-in-refusals.ts';
import { checkRoomForMails } from '../mails/mail-room.ts';
import { writeMail } from '../mails/write-mail.ts';
import type { PeopleContext } from '../people-context.ts';
import { findAddressFaults, hasAccount } from './address-faults.ts';
import { checkTokenShape, linkNotValid, makeLink } from './links.ts';

const purpose = 'change-email';
const validSecs = 86_400;

/** The answer of a change that has begun (reference facts, people 9). */
export const confirmationSent = 'Check your email for a confirmation link. ';

const changesDisabled = 'Email address changes are disabled in this organization.';

async function checkNewAddress(
  client: Client,
  realm: Realm,
  user: User,
  email: string,
): Promise<void> {
  const [fault] = await findAddressFaults(client, realm, [email]);
  if (fault !== undefined && fault.holderId !== user.id) throw withoutCode(fault.reason);
}

/**
 * Begins a change of address: mails a link to the new one. Until it is opened the address stays.
 *
 * @param user the caller's account, which the transaction has locked
 * @throws ApiError with the first refusal of the reference facts, people 9, or 429 after too many mails
 */
export async function beginEmailChange(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  user: User,
  email: string,
): Promise<void> {
  const mayChange = !realm.settings.email_changes_disabled || user.role === 'administrator';
  if (!mayChange || !context.sendsMails) throw withoutCode(changesDisabled);
  await checkNewAddress(client, realm, user, email);
  if (!(await hasRoomForToken(client, purpose, email))) return;
  await checkRoomForMails(context, client, user, [email], { isEmailChange: true });
  const { token, url } = makeLink(context, 'confirm');
  await insertToken(client, { purpose, userId: user.id, email, token, validSecs });
  await writeMail(context, client, {
    kind: purpose,
    recipient: email,
    expiresInSecs: validSecs,
    letter: {
      subject: ['Confirm your address for ', quote(realm.name)],
      paragraphs: [
        [quote(user.fullName), ' wants to use this address in ', quote(realm.name), '.'],
        ['Confirm it within a day. The link works once.'],
      ],
      action: { label: 'Confirm the address', url },
      ending: ['If it was not you, do nothing: the address is not used then.'],
    },
  });
}

/** Tells the previous address, whose owner may have lost the account. */
async function tellPreviousAddress(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  before: User,
): Promise<void> {
  if (!context.sendsMails) return;
  await writeMail(context, client, {
    kind: 'email-changed',
    recipient: before.deliveryEmail,
    expiresInSecs: validSecs,
    letter: {
      subject: ['Your address for ', quote(realm.name), ' has changed'],
      paragraphs: [
        [
          'Your account in ',
          quote(realm.name),
          ' has another address now, and this one signs in no more.',
        ],
      ],
      ending: ['If it was not you, tell an administrator of ', quote(realm.name), '.'],
    },
  });
}

/**
 * Changes the address of the account that a link is for to the one that the link was mailed to.
 *
 * @returns the new address
 * @throws ApiError if the link is not good any more, or the address is not admitted any more; then nothing has changed
 */
export async function confirmEmailChange(
  context: PeopleContext,
  token: string,
): Promise<{ readonly email: string }> {
  checkTokenShape(token);
  const found = await findToken(context.pool, purpose, token);
  if (found === undefined) throw linkNotValid();
  const { userId, email } = found;
  prepareEmailRules();
  try {
    return await context.eventLog.transaction(async (client) => {
      const realm = await lockRealmInUse(client);
      if (realm.isDeactivated) throw organizationDeactivated();
      const user = await lockUserForOwnChange(client, userId);
      if (user?.isActive !== true || !(await takeToken(client, purpose, token)))
        throw linkNotValid();
      await checkNewAddress(client, realm, user, email);
      await tellPreviousAddress(context, client, realm, user);
      const { append } = await changeLockedEmail(context, client, realm, user, email);
      return { result: { email }, append };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw withoutCode(hasAccount);
    throw error;
  }
}
