import { makeAnswerAddress } from '@parley/mail';
import type { Letter } from '@parley/mail';
import { findAnswerer } from '@parley/store/notifications';
import type { ClaimedMail } from '@parley/store';

import type { MissedMailOptions } from './missed-mails.ts';

/**
 * Makes the address to which a mail is answered, for the newest of its messages. It is in no row, because it is worth as much as the mail.
 *
 * @returns undefined for a mail that is not answered
 */
export async function findReplyAddress(
  { pool, keySecrets, answerAddresses }: MissedMailOptions,
  { about, recipient }: Pick<ClaimedMail, 'about' | 'recipient'>,
  letter: Letter,
): Promise<string | undefined> {
  const messageId = about?.messageIds.at(-1);
  if (
    answerAddresses === undefined ||
    letter.isAnswerable !== true ||
    about === undefined ||
    messageId === undefined
  )
    return undefined;
  const { userId } = about;
  const answerer = await findAnswerer(pool, userId);
  // It was confirmed for this recipient a moment ago.
  if (answerer?.address !== recipient) return undefined;
  return makeAnswerAddress(answerAddresses, keySecrets, { userId, messageId }, answerer);
}
