/** Who accounts are at OpenID providers (owner of `linked_identities`; decision 0051). Whoever adds or removes one has locked its account. */
import type { Queryable } from '@parley/database';

import { userColumns } from './users.ts';
import type { SignInAccount } from './users.ts';

/** A person at a provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

export type LinkedIdentity = {
  readonly id: number;
  readonly issuer: string;
  readonly createdAtSecs: number;
};

/** @returns the account of an identity, active or not, with the hash of its password */
export async function findIdentityAccount(
  db: Queryable,
  { issuer, subject }: Identity,
): Promise<SignInAccount | undefined> {
  const { rows } = await db.query<SignInAccount>({
    name: 'store-find-identity-account',
    text: `SELECT ${userColumns}, u.password_hash AS "passwordHash"
      FROM linked_identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = $1 AND i.subject = $2`,
    values: [issuer, subject],
  });
  return rows[0];
}

/** @throws the database's unique violation if an account has the identity */
export async function insertIdentity(
  db: Queryable,
  userId: number,
  { issuer, subject }: Identity,
): Promise<void> {
  await db.query({
    name: 'store-insert-identity',
    text: 'INSERT INTO linked_identities (user_id, issuer, subject) VALUES ($1, $2, $3)',
    values: [userId, issuer, subject],
  });
}

/** @returns the account's identities, the oldest first */
export async function listIdentities(db: Queryable, userId: number): Promise<LinkedIdentity[]> {
  const { rows } = await db.query<LinkedIdentity>({
    name: 'store-list-identities',
    text: `SELECT id, issuer, floor(extract(epoch FROM created_at))::bigint AS "createdAtSecs"
      FROM linked_identities WHERE user_id = $1 ORDER BY id`,
    values: [userId],
  });
  return rows;
}

/** Removes all identities of an account. */
export async function deleteIdentities(db: Queryable, userId: number): Promise<void> {
  await db.query({
    name: 'store-delete-identities',
    text: 'DELETE FROM linked_identities WHERE user_id = $1',
    values: [userId],
  });
}

/** @returns whether the account had this identity */
export async function deleteIdentity(db: Queryable, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-delete-identity',
    text: 'DELETE FROM linked_identities WHERE id = $1 AND user_id = $2',
    values: [id, userId],
  });
  return rowCount === 1;
}
