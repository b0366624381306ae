import type { Queryable } from '@parley/database';
import type { RealmSettings } from '@parley/api/organization';

/** Stores settings of the organization beside those that are stored, also what no endpoint changes; nobody is told. */
export async function updateRealmSettings(
  db: Queryable,
  settings: Partial<RealmSettings>,
): Promise<void> {
  await db.query({
    text: 'UPDATE realm SET settings = settings || $1::jsonb',
    values: [JSON.stringify(settings)],
  });
}
