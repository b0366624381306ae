/** Links in mails that open an account (owner of `account_tokens`; decision 0050). */
import { foldName } from '@parley/api';
import type { Client, Queryable } from '@parley/database';
import { hashSessionToken } from '@parley/auth/secrets';

export type TokenPurpose = 'reset-password' | 'change-email' | 'join';

export type NewToken = {
  readonly purpose: TokenPurpose;
  /** Undefined for an address without an account. */
  readonly userId: number | undefined;
  /** Of a link to join, if there is one. */
  readonly invitationId?: number | undefined;
  readonly email: string;
  readonly token: string;
  readonly validSecs: number;
};

/** What a link is for. */
export type AccountToken = { readonly userId: number; readonly email: string };

/** What a link to join is for. It stays until its time is over, so that who has joined by it is told so. */
export type JoinToken = {
  readonly email: string;
  readonly invitationId: number | undefined;
  readonly hasJoined: boolean;
};

/** Providers deliver what is sent to `name+anything` to `name`, so it is one mailbox here, whatever it is as an address (decision 0061). */
function mailboxOf(email: string): string {
  return foldName(email.replace(/\+.*(?=@)/, ''));
}

/** Nobody's mailbox gets more of one kind in an hour, whoever asks. */
const perHourMax = 5;
/** Serializes the counting for one address; the first key of Postgres' advisory locks. */
const countLock = 7_217_006;

/**
 * Lets nobody else add links for these addresses until the transaction ends. Who mails to several locks all of them first, because they are
 * locked in one order here, which is not that of the addresses.
 */
export async function lockTokensOfAddresses(
  client: Client,
  purpose: TokenPurpose,
  emails: readonly string[],
): Promise<void> {
  await client.query({
    name: 'store-lock-tokens-of-addresses',
    text: `SELECT pg_advisory_xact_lock($1, l.mailbox) FROM (SELECT DISTINCT hashtext(a) AS mailbox FROM unnest($2::text[]) a ORDER BY 1) l`,
    values: [countLock, emails.map((email) => `${purpose} ${mailboxOf(email)}`)],
  });
}

/** @returns whether another link for this address may be mailed; nobody else can add one until the transaction ends */
export async function hasRoomForToken(
  client: Client,
  purpose: TokenPurpose,
  email: string,
): Promise<boolean> {
  await lockTokensOfAddresses(client, purpose, [email]);
  const { rows } = await client.query<{ recent: number }>({
    name: 'store-count-tokens-of-address',
    text: `SELECT count(*)::int AS recent FROM account_tokens
      WHERE email_folded = $1 AND purpose = $2 AND created_at > parley_now() - interval '1 hour'`,
    values: [mailboxOf(email), purpose],
  });
  return (rows[0]?.recent ?? 0) < perHourMax;
}

/** Stores the hash of a token. */
export async function insertToken(client: Client, given: NewToken): Promise<void> {
  await client.query({
    name: 'store-insert-account-token',
    text: `INSERT INTO account_tokens (token_hash, purpose, user_id, email, email_folded, expires_at, invitation_id)
      VALUES ($1, $2, $3, $4, $5, parley_now() + make_interval(secs => $6), $7)`,
    values: [
      hashSessionToken(given.token),
      given.purpose,
      given.userId ?? null,
      given.email,
      mailboxOf(given.email),
      given.validSecs,
      given.invitationId ?? null,
    ],
  });
}

/** @returns what a token is for, or undefined if it is unknown, used, expired or for something else */
export async function findToken(
  db: Queryable,
  purpose: Exclude<TokenPurpose, 'join'>,
  token: string,
): Promise<AccountToken | undefined> {
  const { rows } = await db.query<AccountToken>({
    name: 'store-find-account-token',
    text: `SELECT user_id AS "userId", email FROM account_tokens
      WHERE token_hash = $1 AND purpose = $2 AND user_id IS NOT NULL AND expires_at > parley_now()`,
    values: [hashSessionToken(token), purpose],
  });
  return rows[0];
}

/** @returns what a link to join is for, or undefined as `findToken` */
export async function findJoinToken(db: Queryable, token: string): Promise<JoinToken | undefined> {
  const { rows } = await db.query<{
    email: string;
    invitationId: number | null;
    hasJoined: boolean;
  }>({
    name: 'store-find-join-token',
    text: `SELECT email, invitation_id AS "invitationId", user_id IS NOT NULL AS "hasJoined" FROM account_tokens
      WHERE token_hash = $1 AND purpose = 'join' AND expires_at > parley_now()`,
    values: [hashSessionToken(token)],
  });
  const [row] = rows;
  return row && { ...row, invitationId: row.invitationId ?? undefined };
}

/**
 * Uses a link to join up, and detaches it from its invitation, which may end now. The transaction then says who joined
 * ({@link noteJoined}).
 *
 * @returns whether it was still good
 */
export async function takeJoinToken(client: Client, token: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'store-take-join-token',
    text: `UPDATE account_tokens SET invitation_id = NULL
      WHERE token_hash = $1 AND purpose = 'join' AND user_id IS NULL AND expires_at > parley_now()`,
    values: [hashSessionToken(token)],
  });
  return rowCount === 1;
}

/** Notes the account that a link to join has made. The link ends with its address, its password and its activity. */
export async function noteJoined(client: Client, token: string, userId: number): Promise<void> {
  await client.query({
    name: 'store-note-joined',
    text: 'UPDATE account_tokens SET user_id = $2 WHERE token_hash = $1',
    values: [hashSessionToken(token), userId],
  });
}

/**
 * Uses a token up. The caller has locked its account.
 *
 * @returns whether it was still good
 */
export async function takeToken(
  client: Client,
  purpose: Exclude<TokenPurpose, 'join'>,
  token: string,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'store-take-account-token',
    text: 'DELETE FROM account_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > parley_now()',
    values: [hashSessionToken(token), purpose],
  });
  return rowCount === 1;
}

/** Deletes tokens that have ended, except those of the last hour, which still count for their address. */
export async function deleteOldTokens(db: Queryable): Promise<void> {
  await db.query({
    name: 'store-delete-old-account-tokens',
    text: `DELETE FROM account_tokens WHERE expires_at < parley_now() AND created_at < parley_now() - interval '1 hour'`,
  });
}
