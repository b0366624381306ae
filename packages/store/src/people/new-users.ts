import { foldName } from '@parley/api';
import type { Role } from '@parley/api';
import type { Queryable } from '@parley/database';

import { setApiKeys } from './api-keys.ts';
import type { KeySecrets } from '@parley/auth/secrets';
import { shownEmail } from './shown-email.ts';
import type { EmailPolicy } from './shown-email.ts';
import type { UserSettings } from '@parley/api/people';
import { userColumns } from './users.ts';
import type { User } from './users.ts';

/** Creates accounts (with `users.ts` the owner of `users` and `account_periods`). */

export type NewUser = {
  /** From `drawUserIds`, if something refers to the account before it exists; by default a new one. */
  readonly id?: number;
  /** The real address. */
  readonly email: string;
  readonly fullName: string;
  /** By default the part of the address before the `@`. */
  readonly shortName?: string;
  readonly role?: Role;
  readonly botType?: number | null;
  readonly botOwnerId?: number | null;
  readonly isSystem?: boolean;
  /** From `hashPassword`; without it the account cannot sign in by password. */
  readonly passwordHash?: string | null;
  /** Random by default; system bots get none. */
  readonly apiKey?: string;
  readonly timezone?: string;
  readonly settings?: Partial<UserSettings>;
  readonly avatarSource?: 'G' | 'U';
  readonly defaultSendingStreamId?: number | null;
  readonly defaultEventsRegisterStreamId?: number | null;
  readonly defaultAllPublicStreams?: boolean;
};

export type CreatedUser = { readonly user: User; readonly apiKey: string | null };

/** @returns ids for accounts that are about to be created, ascending */
export async function drawUserIds(db: Queryable, count: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    text: `SELECT nextval(pg_get_serial_sequence('users', 'id'))::int AS id FROM generate_series(1, $1)`,
    values: [count],
  });
  return rows.map((row) => row.id).toSorted((a, b) => a - b);
}

/** The input of the insertion for each new account, by the names of the columns. */
function rowOf(user: NewUser, id: number, policy: EmailPolicy): Record<string, unknown> {
  const email = shownEmail({ ...user, id, botType: user.botType ?? null }, policy);
  const isHidden = email !== user.email;
  return {
    id,
    email,
    email_folded: foldName(email),
    delivery_email: isHidden ? user.email : null,
    delivery_email_folded: isHidden ? foldName(user.email) : null,
    full_name: user.fullName,
    full_name_folded: foldName(user.fullName),
    short_name: user.shortName ?? user.email.split('@')[0],
    role: user.role ?? 'member',
    is_system: user.isSystem ?? false,
    bot_type: user.botType ?? null,
    bot_owner_id: user.botOwnerId ?? null,
    password_hash: user.passwordHash ?? null,
    timezone: user.timezone ?? '',
    settings: user.settings ?? {},
    avatar_source: user.avatarSource ?? 'G',
    default_sending_stream_id: user.defaultSendingStreamId ?? null,
    default_events_register_stream_id: user.defaultEventsRegisterStreamId ?? null,
    default_all_public_streams: user.defaultAllPublicStreams ?? false,
  };
}

const columnTypes = `id integer, email text, email_folded text, delivery_email text, delivery_email_folded text, full_name text,
  full_name_folded text, short_name text, role text, is_system boolean, bot_type smallint, bot_owner_id integer,
  password_hash text, timezone text, settings jsonb, avatar_source text, default_sending_stream_id integer,
  default_events_register_stream_id integer, default_all_public_streams boolean`;
const columnNames = columnTypes.replaceAll(/ (?:integer|text|boolean|smallint|jsonb)/g, '');

/** Real addresses are shown, unless the organization hides them. */
const emailsShown: EmailPolicy = { emailsHidden: false, domain: '' };

/**
 * Creates active accounts with their keys, account periods and rows of read state, in a few statements for any number. The caller's log
 * entry must carry the change and an `account` effect for each; the caller also adds memberships of default streams.
 *
 * @param changeId the change at which the accounts begin
 * @param policy of the organization, read under a lock that keeps it (`lockRealmInUse`); by default addresses are shown
 * @returns the accounts in the given order, and their keys (null for system bots)
 * @throws the database's unique violation if an address is taken
 */
export async function createUsers(
  db: Queryable,
  secrets: KeySecrets,
  users: readonly NewUser[],
  changeId: number,
  policy: EmailPolicy = emailsShown,
): Promise<CreatedUser[]> {
  if (users.length === 0) return [];
  const drawn = await drawUserIds(db, users.filter(({ id }) => id === undefined).length);
  const ids = users.map(({ id }) => id ?? drawn.shift() ?? 0);
  const { rows } = await db.query<User>({
    text: `INSERT INTO users AS u (${columnNames}) SELECT ${columnNames} FROM jsonb_to_recordset($1) r (${columnTypes})
      RETURNING ${userColumns}`,
    values: [JSON.stringify(users.map((user, n) => rowOf(user, ids[n] ?? 0, policy)))],
  });
  await db.query({
    text: `WITH period AS (
        INSERT INTO account_periods (user_id, role, is_active, from_change_id)
        SELECT u.id, u.role, true, $2 FROM users u WHERE u.id = ANY ($1::int[]))
      INSERT INTO read_users (user_id) SELECT unnest($1::int[]) ON CONFLICT DO NOTHING`,
    values: [ids, changeId],
  });
  const withKeys = users.flatMap((user, n) =>
    user.isSystem === true && user.apiKey === undefined
      ? []
      : [{ userId: ids[n] ?? 0, key: user.apiKey }],
  );
  const keys = await setApiKeys(db, secrets, withKeys);
  const byId = new Map(rows.map((user) => [user.id, user]));
  return ids.map((id) => {
    const user = byId.get(id);
    if (user === undefined) throw new Error('the insertion of a user returned no row');
    return { user, apiKey: keys.get(id) ?? null };
  });
}

/** Creates one account; see `createUsers`. */
export async function createUser(
  db: Queryable,
  secrets: KeySecrets,
  user: NewUser,
  changeId: number,
  policy: EmailPolicy = emailsShown,
): Promise<CreatedUser> {
  const [created] = await createUsers(db, secrets, [user], changeId, policy);
  if (created === undefined) throw new Error('no account was created');
  return created;
}

/** An account as others see it from now on. */
export type ChangedEmail = Pick<
  User,
  'id' | 'email' | 'deliveryEmail' | 'avatarSource' | 'avatarVersion'
> & {
  readonly formerEmail: string;
};

/**
 * Replaces all people's shown addresses after a change of policy. The caller has locked the realm's row for the change, so that no account
 * is created meanwhile.
 *
 * @returns the accounts whose shown address changed, by ascending id, for events to everybody (reference facts, events 14.1) and for the
 *   gateways, which must forget these accounts
 */
export async function applyEmailPolicy(
  db: Queryable,
  policy: EmailPolicy,
): Promise<ChangedEmail[]> {
  const people = await db.query<Omit<ChangedEmail, 'formerEmail'>>({
    text: `SELECT id, email, coalesce(delivery_email, email) AS "deliveryEmail", avatar_source AS "avatarSource",
        avatar_version AS "avatarVersion" FROM users
      WHERE bot_type IS NULL AND NOT is_system ORDER BY id FOR NO KEY UPDATE`,
  });
  const changed = people.rows.flatMap((person) => {
    const { id, email: formerEmail, deliveryEmail } = person;
    const email = shownEmail({ id, email: deliveryEmail, botType: null }, policy);
    return email === formerEmail ? [] : [{ ...person, email, formerEmail }];
  });
  const ids = changed.map(({ id }) => id);
  // One person's real address may equal another's hidden one, so all give up theirs first.
  await db.query({
    text: `UPDATE users SET email_folded = '@' || id, delivery_email_folded = '@' || id WHERE id = ANY ($1::int[])`,
    values: [ids],
  });
  await db.query({
    text: `UPDATE users u SET email = n.email, email_folded = n.email_folded, delivery_email = n.delivery_email,
        delivery_email_folded = n.delivery_email_folded
      FROM jsonb_to_recordset($1) n (id integer, email text, email_folded text, delivery_email text, delivery_email_folded text)
      WHERE u.id = n.id`,
    values: [
      JSON.stringify(
        changed.map(({ id, email, deliveryEmail }) => ({
          id,
          email,
          email_folded: foldName(email),
          delivery_email: email === deliveryEmail ? null : deliveryEmail,
          delivery_email_folded: email === deliveryEmail ? null : foldName(deliveryEmail),
        })),
      ),
    ],
  });
  return changed;
}
