/** The SQL of the table `service_leases` and of the one read that gateways repeat. Leases are judged by Postgres' clock alone. */
import type { Queryable } from '@parley/database';

/** A lease lives this long after its last renewal: three missed renewals are no reason to move a node's queues. */
export const leaseLifetimeMs = 4_000;

/** A lapsed row is kept this long, so that readers can tell a lost lease from one that was given up. */
const lapsedRowLifetimeSecs = 60;

export type LeaseRow = { node_id: string; service: string; address: string; is_live: boolean };

type StateRow = {
  leases: LeaseRow[] | null;
  changed_user_ids: number[] | null;
  newest_position: number;
};

/**
 * Begins or renews a lease, and deletes rows that lapsed long ago. Where all nodes were paused, each of them finds the rows of the others: it
 * takes its own first and waits for none of the others.
 */
export async function renewLease(
  database: Queryable,
  lease: { readonly nodeId: string; readonly service: string; readonly address: string },
): Promise<void> {
  await database.query({
    name: 'placement-renew-lease',
    text: `WITH renewed AS (
        INSERT INTO service_leases (node_id, service, address, renewed_at, lapses_at)
        VALUES ($1, $2, $3, parley_now(), parley_now() + make_interval(secs => $4))
        ON CONFLICT (node_id) DO UPDATE
          SET service = excluded.service, address = excluded.address, renewed_at = excluded.renewed_at, lapses_at = excluded.lapses_at
        RETURNING node_id
      )
      DELETE FROM service_leases WHERE node_id IN (
        SELECT l.node_id FROM service_leases l
        WHERE l.lapses_at < parley_now() - make_interval(secs => $5) AND l.node_id NOT IN (SELECT r.node_id FROM renewed r)
        FOR UPDATE SKIP LOCKED
      )`,
    values: [
      lease.nodeId,
      lease.service,
      lease.address,
      leaseLifetimeMs / 1000,
      lapsedRowLifetimeSecs,
    ],
  });
}

/** Ends a lease. */
export async function deleteLease(database: Queryable, nodeId: string): Promise<void> {
  await database.query({
    name: 'placement-delete-lease',
    text: 'DELETE FROM service_leases WHERE node_id = $1',
    values: [nodeId],
  });
}

/**
 * All leases, and the accounts that changed above a position, in one snapshot.
 *
 * @param afterPosition the newest account change seen; null takes the newest there is and reports no change
 */
export async function readLeasesAndAccountChanges(
  database: Queryable,
  afterPosition: number | null,
): Promise<{ leases: LeaseRow[]; changedUserIds: number[]; newestPosition: number }> {
  const { rows } = await database.query<StateRow>({
    name: 'placement-read-leases',
    text: `SELECT
        (SELECT json_agg(json_build_object('node_id', l.node_id, 'service', l.service, 'address', l.address,
           'is_live', l.lapses_at > parley_now()) ORDER BY l.node_id) FROM service_leases l) AS leases,
        (SELECT array_agg(DISTINCT c.user_id) FROM account_changes c WHERE c.position > $1) AS changed_user_ids,
        greatest(coalesce((SELECT max(c.position) FROM account_changes c), 0), coalesce($1, 0)) AS newest_position`,
    values: [afterPosition],
  });
  const state = rows[0];
  if (state === undefined) throw new Error('a statement without FROM answers one row');
  return {
    leases: state.leases ?? [],
    changedUserIds: state.changed_user_ids ?? [],
    newestPosition: state.newest_position,
  };
}

/** @returns the services of which a process runs, by name */
export async function listLiveServices(database: Queryable): Promise<readonly string[]> {
  const { rows } = await database.query<{ service: string }>({
    text: 'SELECT DISTINCT service FROM service_leases WHERE lapses_at > parley_now() ORDER BY service',
  });
  return rows.map(({ service }) => service);
}
