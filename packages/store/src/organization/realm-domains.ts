import type { Queryable } from '@parley/database';

/** The domains to which an organization may restrict addresses (owner of `realm_domains`). */

export type RealmDomain = {
  readonly id: number;
  /** In lower case. */
  readonly domain: string;
  readonly allowSubdomains: boolean;
};

const columns = 'd.id, d.domain, d.allow_subdomains AS "allowSubdomains"';

/** @returns all domains in the order of their addition */
export async function listDomains(db: Queryable): Promise<RealmDomain[]> {
  const { rows } = await db.query<RealmDomain>({
    name: 'store-list-realm-domains',
    text: `SELECT ${columns} FROM realm_domains d ORDER BY d.id`,
  });
  return rows;
}

/**
 * Adds a domain. The caller has locked the realm's row, here and below.
 *
 * @param domain in lower case
 * @returns undefined if the domain exists already
 */
export async function insertDomain(
  db: Queryable,
  domain: Omit<RealmDomain, 'id'>,
): Promise<RealmDomain | undefined> {
  const { rows } = await db.query<RealmDomain>({
    text: `INSERT INTO realm_domains AS d (domain, allow_subdomains) VALUES ($1, $2)
      ON CONFLICT (domain) DO NOTHING RETURNING ${columns}`,
    values: [domain.domain, domain.allowSubdomains],
  });
  return rows[0];
}

/** @returns the domain with its new settings, or undefined if there is none with this name */
export async function updateDomain(
  db: Queryable,
  domain: Omit<RealmDomain, 'id'>,
): Promise<RealmDomain | undefined> {
  const { rows } = await db.query<RealmDomain>({
    text: `UPDATE realm_domains AS d SET allow_subdomains = $2 WHERE d.domain = $1 RETURNING ${columns}`,
    values: [domain.domain, domain.allowSubdomains],
  });
  return rows[0];
}

/** @returns whether there was one with this name */
export async function deleteDomain(db: Queryable, domain: string): Promise<boolean> {
  const { rowCount } = await db.query({
    text: 'DELETE FROM realm_domains WHERE domain = $1',
    values: [domain],
  });
  return rowCount === 1;
}
