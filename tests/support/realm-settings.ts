import type { Queryable } from '@parley/database';
import type { RealmSettings } from '@parley/api/organization';

/** Stores additional settings of the organization, including those that no endpoint changes, without events. */
export async function updateRealmSettings(
  db: Queryable,
  settings: Partial<RealmSettings>,
): Promise<void> {
  await db.query({
    text: 'UPDATE realm SET settings = settings || $1::jsonb',
    values: [JSON.stringify(settings)],
  });
}
