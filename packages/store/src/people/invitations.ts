/** Invitations by address and by link (owner of `invitations`; decision 0050). */
import { foldName } from '@parley/api';
import type { Role } from '@parley/api';
import type { Client, Queryable } from '@parley/database';
import { hashSessionToken, openSecret, sealSecret } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

export type Invitation = {
  readonly id: number;
  /** Null for a link. */
  readonly email: string | null;
  /** Of an invitation by address, if the inviter gave one. */
  readonly fullName: string | null;
  readonly inviterId: number;
  readonly role: Role;
  readonly streamIds: readonly number[];
  readonly invitedAtSecs: number;
  readonly expiresAtSecs: number;
  readonly uses: number;
  /** Null for any number. */
  readonly usesMax: number | null;
};

export type ListedInvitation = Invitation & {
  readonly inviterEmail: string;
  /** The secret of a link; undefined for an invitation by address, and for a link under a key secret that is no longer known. */
  readonly link: string | undefined;
};

export type NewInvitation = Pick<Invitation, 'inviterId' | 'role' | 'streamIds' | 'usesMax'> & {
  readonly validSecs: number;
  readonly by:
    | { readonly email: string; readonly fullName?: string | undefined }
    | { readonly link: string };
};

const columns = `i.id, i.email, i.full_name AS "fullName", i.inviter_id AS "inviterId", i.role, i.stream_ids AS "streamIds",
  floor(extract(epoch FROM i.invited_at))::bigint AS "invitedAtSecs", floor(extract(epoch FROM i.expires_at))::bigint AS "expiresAtSecs",
  i.uses, i.uses_max AS "usesMax"`;

/** Expired ones, used ones, and those of people who left count for nothing. */
const isOpen = `i.expires_at > parley_now() AND (i.uses_max IS NULL OR i.uses < i.uses_max) AND u.is_active`;

/** The purpose for which the column `link_encrypted` is encrypted; the id is not known before the row is inserted. */
export const linkPurpose = (): string => 'link of an invitation';

/** Adds an invitation. One by address takes the place of the earlier one for that address, whose links are good for it from then on. */
export async function insertInvitation(
  client: Client,
  secrets: KeySecrets,
  given: NewInvitation,
): Promise<number> {
  const email = 'email' in given.by ? given.by.email : null;
  const link = 'link' in given.by ? given.by.link : null;
  const { rows } = await client.query<{ id: number }>({
    name: 'store-insert-invitation',
    text: `INSERT INTO invitations (email, email_folded, inviter_id, role, stream_ids, expires_at, uses_max, link_hash, link_encrypted, full_name)
      VALUES ($1, $2, $3, $4, $5, parley_now() + make_interval(secs => $6), $7, $8, $9, $10)
      ON CONFLICT (email_folded) DO UPDATE SET email = excluded.email, inviter_id = excluded.inviter_id, role = excluded.role,
        stream_ids = excluded.stream_ids, invited_at = parley_now(), expires_at = excluded.expires_at,
        full_name = excluded.full_name
      RETURNING id`,
    values: [
      email,
      email === null ? null : foldName(email),
      given.inviterId,
      given.role,
      given.streamIds,
      given.validSecs,
      given.usesMax,
      link === null ? null : hashSessionToken(link),
      link === null ? null : sealSecret(secrets, link, linkPurpose()),
      ('email' in given.by ? given.by.fullName : undefined) ?? null,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('no invitation was inserted');
  return row.id;
}

/** @returns the invitations that can still be used, the oldest first */
export async function listInvitations(
  db: Queryable,
  secrets: KeySecrets,
  invitationsMax: number,
): Promise<ListedInvitation[]> {
  const { rows } = await db.query<
    Invitation & { readonly inviterEmail: string; readonly sealed: Buffer | null }
  >({
    name: 'store-list-invitations',
    text: `SELECT ${columns}, u.email AS "inviterEmail", i.link_encrypted AS sealed
      FROM invitations i JOIN users u ON u.id = i.inviter_id WHERE ${isOpen} ORDER BY i.id LIMIT $1`,
    values: [invitationsMax],
  });
  return rows.map(({ sealed, ...invitation }) => {
    if (sealed === null) return { ...invitation, link: undefined };
    try {
      return { ...invitation, link: openSecret(secrets, sealed, linkPurpose()) };
    } catch {
      return { ...invitation, link: undefined };
    }
  });
}

/** @returns how many invitations can still be used, or were made within a day: those that end after a minute count too */
export async function countInvitations(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ open: number }>({
    name: 'store-count-invitations',
    text: `SELECT count(*)::int AS open FROM invitations i JOIN users u ON u.id = i.inviter_id WHERE i.invited_at > parley_now() - interval '1 day' OR (${isOpen})`,
  });
  return rows[0]?.open ?? 0;
}

/** @returns an invitation that can still be used */
export async function findInvitation(
  db: Queryable,
  which: { readonly id: number } | { readonly link: string } | { readonly email: string },
): Promise<Invitation | undefined> {
  const [condition, value] =
    'id' in which
      ? ['i.id = $1::bigint', which.id]
      : 'link' in which
        ? ['i.link_hash = $1', hashSessionToken(which.link)]
        : ['i.email_folded = $1', foldName(which.email)];
  const { rows } = await db.query<Invitation>({
    text: `SELECT ${columns} FROM invitations i JOIN users u ON u.id = i.inviter_id WHERE ${condition} AND ${isOpen}`,
    values: [value],
  });
  return rows[0];
}

/** @returns whether an invitation exists, which then stays until the transaction ends */
export async function lockInvitationInUse(client: Client, id: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'store-lock-invitation-in-use',
    text: 'SELECT 1 FROM invitations WHERE id = $1 FOR KEY SHARE',
    values: [id],
  });
  return rowCount === 1;
}

/**
 * Counts a use. An invitation by address ends with it.
 *
 * @returns the invitation, or undefined if it can no longer be used
 */
export async function takeInvitation(client: Client, id: number): Promise<Invitation | undefined> {
  const { rows } = await client.query<Invitation>({
    name: 'store-take-invitation',
    text: `UPDATE invitations i SET uses = uses + 1 FROM users u WHERE i.id = $1 AND u.id = i.inviter_id AND ${isOpen} RETURNING ${columns}`,
    values: [id],
  });
  const [taken] = rows;
  if (taken?.email === null || taken === undefined) return taken;
  await deleteInvitation(client, id, 'address');
  return taken;
}

/** @returns whether there was one of this kind */
export async function deleteInvitation(
  client: Client,
  id: number,
  kind: 'address' | 'link',
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'store-delete-invitation',
    text: `DELETE FROM invitations WHERE id = $1::bigint AND (email IS NULL) = $2`,
    values: [id, kind === 'link'],
  });
  return rowCount === 1;
}

/**
 * Begins the time of an invitation anew, and keeps it until the transaction ends.
 *
 * @returns when, in seconds since 1970, or undefined if it was revoked
 */
export async function renewInvitation(
  client: Client,
  id: number,
  validSecs: number,
): Promise<number | undefined> {
  const { rows } = await client.query<{ secs: number }>({
    name: 'store-renew-invitation',
    text: `UPDATE invitations SET invited_at = parley_now(), expires_at = parley_now() + make_interval(secs => $2) WHERE id = $1::bigint
      RETURNING floor(extract(epoch FROM invited_at))::bigint AS secs`,
    values: [id, validSecs],
  });
  return rows[0]?.secs;
}

/** Deletes invitations that nobody can use any more. */
export async function deleteOldInvitations(db: Queryable): Promise<void> {
  await db.query({
    name: 'store-delete-old-invitations',
    text: `DELETE FROM invitations WHERE expires_at < parley_now() - interval '1 day'`,
  });
}
