/** Mails to send (owner of `mails`; decision 0049). */
import { randomUUID } from 'node:crypto';

import type { Client, Queryable } from '@parley/database';
import { openSecret, sealSecret } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

export type NewMail = {
  /** In metrics and lists, never shown to the recipient. */
  readonly kind: string;
  readonly recipient: string;
  /** The content, as JSON text. */
  readonly letter: string;
  /** When its recipient could no longer use it. */
  readonly expiresInSecs: number;
  /** The messages that it tells of, and to whom: it is judged again before it goes. */
  readonly about?: MailSubject;
};

/** Unread messages, and the person who is notified of them. */
export type MailSubject = { readonly userId: number; readonly messageIds: readonly number[] };

/** A mail that this process may send now. `attempts` distinguishes the claim from every later one. */
export type ClaimedMail = {
  readonly id: number;
  /** The same at every attempt. */
  readonly messageId: string;
  readonly kind: string;
  readonly recipient: string;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly isExpired: boolean;
  /** Whether an earlier attempt may have succeeded. */
  readonly mayHaveArrived: boolean;
  /** The content as JSON text, or undefined if it was written under another key secret. */
  readonly letter: string | undefined;
  readonly about: MailSubject | undefined;
};

export type MailClaim = Pick<ClaimedMail, 'id' | 'attempts'>;

/** A mail as the operator sees it. */
export type ListedMail = {
  readonly id: number;
  readonly kind: string;
  readonly recipient: string;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly lastError: string | null;
  /** Null while it is still tried. */
  readonly failedAt: Date | null;
};

/** No mail is tried for longer, whatever it says. */
const triedMaxSecs = 3 * 86_400;
const failedKeptDays = 30;

/** The purpose and the mail for which the column `letter_encrypted` is encrypted. */
export const letterPurpose = (messageId: string): string => `mail ${messageId}`;

/** Adds mails, which are sent some time after the transaction has committed, and not otherwise. */
export async function insertMails(
  client: Client,
  secrets: KeySecrets,
  mails: readonly NewMail[],
): Promise<void> {
  if (mails.length === 0) return;
  const rows = mails.map(({ letter, about, ...mail }) => {
    const messageId = randomUUID();
    return {
      message_id: messageId,
      kind: mail.kind,
      recipient: mail.recipient,
      letter: sealSecret(secrets, letter, letterPurpose(messageId)).toString('base64'),
      expires_in_secs: Math.min(mail.expiresInSecs, triedMaxSecs),
      user_id: about?.userId,
      message_ids: about?.messageIds,
    };
  });
  await client.query({
    name: 'store-insert-mails',
    text: `INSERT INTO mails (message_id, kind, recipient, letter_encrypted, expires_at, user_id, message_ids)
      SELECT n.message_id, n.kind, n.recipient, decode(n.letter, 'base64'), parley_now() + make_interval(secs => n.expires_in_secs), n.user_id,
        n.message_ids
      FROM json_to_recordset($1::json) AS n (message_id uuid, kind text, recipient text, letter text, expires_in_secs double precision,
        user_id integer, message_ids bigint[])`,
    values: [JSON.stringify(rows)],
  });
}

/** Adds one mail, as `insertMails` does. */
export async function insertMail(
  client: Client,
  secrets: KeySecrets,
  mail: NewMail,
): Promise<void> {
  await insertMails(client, secrets, [mail]);
}

/** Neither a message for thousands nor hundreds of invitations must delay somebody's link for a new password. */
export type MailLane = 'about-messages' | 'resets' | 'other';

/** The kind of mails with a link for a new password. */
export const resetKind = 'reset-password';

const laneSql: Readonly<Record<MailLane, string>> = {
  'about-messages': 'user_id IS NOT NULL',
  resets: `user_id IS NULL AND kind = '${resetKind}'`,
  other: `user_id IS NULL AND kind <> '${resetKind}'`,
};

/** @returns ids of mails of a lane that are due and that nobody sends, the longest due first */
export async function listDueMails(
  db: Queryable,
  lane: MailLane,
  mailsMax: number,
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: `store-list-due-mails-${lane}`,
    text: `SELECT id FROM mails WHERE failed_at IS NULL AND due_at <= parley_now() AND claimed_until < parley_now()
        AND ${laneSql[lane]}
      ORDER BY due_at LIMIT $1`,
    values: [mailsMax],
  });
  return rows.map(({ id }) => id);
}

/** @returns how many mails wait or are being sent */
export async function countWaitingMails(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>({
    name: 'store-count-waiting-mails',
    text: 'SELECT count(*) AS waiting FROM mails WHERE failed_at IS NULL',
  });
  return rows[0]?.waiting ?? 0;
}

function openLetter(secrets: KeySecrets, sealed: Buffer, messageId: string): string | undefined {
  try {
    return openSecret(secrets, sealed, letterPurpose(messageId));
  } catch {
    return undefined;
  }
}

/**
 * Claims a mail to send it. Until the outcome is stored, it counts as one that may have arrived.
 *
 * @returns undefined if it was sent, has failed or is not due, or if another process has it
 */
export async function claimMail(
  db: Queryable,
  secrets: KeySecrets,
  id: number,
  claimSecs: number,
): Promise<ClaimedMail | undefined> {
  const { rows } = await db.query<
    Omit<ClaimedMail, 'letter' | 'about'> & {
      readonly sealed: Buffer;
      readonly userId: number | null;
      readonly messageIds: readonly number[] | null;
    }
  >({
    name: 'store-claim-mail',
    text: `WITH due AS (
        SELECT id, may_have_arrived FROM mails
        WHERE id = $1 AND failed_at IS NULL AND due_at <= parley_now() AND claimed_until < parley_now()
        FOR UPDATE SKIP LOCKED)
      UPDATE mails m SET claimed_until = parley_now() + make_interval(secs => $2), attempts = attempts + 1, may_have_arrived = true
      FROM due WHERE m.id = due.id
      RETURNING m.id, message_id AS "messageId", kind, recipient, created_at AS "createdAt", attempts,
        expires_at <= parley_now() AS "isExpired", due.may_have_arrived AS "mayHaveArrived", letter_encrypted AS sealed,
        user_id AS "userId", message_ids AS "messageIds"`,
    values: [id, claimSecs],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { sealed, userId, messageIds, ...mail } = row;
  return {
    ...mail,
    letter: openLetter(secrets, sealed, mail.messageId),
    about: userId === null || messageIds === null ? undefined : { userId, messageIds },
  };
}

/**
 * Deletes a mail that a server has taken, or that is not to be sent.
 *
 * @returns false if the claim has lapsed and another process has the mail
 */
export async function removeMail(db: Queryable, { id, attempts }: MailClaim): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-remove-sent-mail',
    text: 'DELETE FROM mails WHERE id = $1 AND attempts = $2',
    values: [id, attempts],
  });
  return rowCount === 1;
}

/** Releases a mail for a later attempt. */
export async function postponeMail(
  db: Queryable,
  { id, attempts }: MailClaim,
  outcome: {
    readonly delaySecs: number;
    readonly error: string;
    readonly mayHaveArrived: boolean;
  },
): Promise<void> {
  await db.query({
    name: 'store-postpone-mail',
    text: `UPDATE mails SET due_at = parley_now() + make_interval(secs => $3), claimed_until = '-infinity',
        last_error = $4, may_have_arrived = $5
      WHERE id = $1 AND attempts = $2`,
    values: [id, attempts, outcome.delaySecs, outcome.error, outcome.mayHaveArrived],
  });
}

/** Gives a mail up. Its letter is deleted. */
export async function failMail(
  db: Queryable,
  { id, attempts }: MailClaim,
  error: string,
): Promise<void> {
  await db.query({
    name: 'store-fail-mail',
    text: `UPDATE mails SET failed_at = parley_now(), claimed_until = '-infinity', last_error = $3, letter_encrypted = NULL
      WHERE id = $1 AND attempts = $2`,
    values: [id, attempts, error],
  });
}

/** The process that sends a mail gives it up by then; what is left afterwards was written before no mails were sent any more. */
const leftAfterSecs = 7_200;

/**
 * Gives up mails that are of no more use and that no process has given up. Those to nobody are deleted.
 *
 * @returns how many were given up
 */
export async function failLeftMails(db: Queryable, error: string): Promise<number> {
  const { rowCount } = await db.query({
    name: 'store-fail-left-mails',
    text: `WITH nobodys AS (DELETE FROM mails WHERE recipient = '' AND expires_at < parley_now() - make_interval(secs => ${leftAfterSecs}))
      UPDATE mails SET failed_at = parley_now(), last_error = $1, letter_encrypted = NULL
      WHERE failed_at IS NULL AND recipient <> '' AND expires_at < parley_now() - make_interval(secs => ${leftAfterSecs})
        AND claimed_until < parley_now()`,
    values: [error],
  });
  return rowCount ?? 0;
}

/** Deletes mails that failed long ago. */
export async function deleteOldFailedMails(db: Queryable): Promise<void> {
  await db.query({
    name: 'store-delete-old-failed-mails',
    text: `DELETE FROM mails WHERE failed_at < parley_now() - make_interval(days => ${failedKeptDays})`,
  });
}

/** @returns mails, first those that have failed, then those that wait, the newest of each first */
export async function listMails(db: Queryable, mailsMax: number): Promise<ListedMail[]> {
  const { rows } = await db.query<ListedMail>({
    name: 'store-list-mails',
    text: `SELECT id, kind, recipient, created_at AS "createdAt", attempts, last_error AS "lastError", failed_at AS "failedAt"
      FROM mails ORDER BY failed_at IS NULL, id DESC LIMIT $1`,
    values: [mailsMax],
  });
  return rows;
}
