/**
 * The names of people, streams and the organization in messages, with their version (owner of `shown_names_version`, which triggers write).
 */
import { realmSettingDefaults } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';

import { withDefaults } from '../organization/realm.ts';
import type { Realm } from '../organization/realm.ts';

/** A person or bot as messages show it. */
export type ShownPerson = {
  readonly id: number;
  readonly email: string;
  /** The real address, which differs if the organization hides addresses. */
  readonly deliveryEmail: string;
  readonly fullName: string;
  readonly shortName: string;
  readonly avatarSource: 'G' | 'U';
  readonly avatarVersion: number;
};

export type ShownNames = {
  /** Of the log. */
  readonly epoch: number;
  readonly version: string;
  readonly realm: Pick<Realm, 'stringId' | 'settings'>;
  readonly people: readonly ShownPerson[];
  readonly streams: readonly { readonly id: number; readonly name: string }[];
};

/** @returns the organization, and those of the people and streams that exist, all as of one moment */
export async function readShownNames(
  db: Queryable,
  {
    userIds,
    streamIds,
  }: { readonly userIds: readonly number[]; readonly streamIds: readonly number[] },
): Promise<ShownNames> {
  const { rows } = await db.query<
    Omit<ShownNames, 'realm'> & {
      readonly stringId: string;
      readonly settings: Partial<RealmSettings>;
    }
  >({
    name: 'shown-names',
    text: `SELECT (SELECT log_head.epoch FROM log_head) AS epoch, names.version, realm.string_id AS "stringId", realm.settings,
        coalesce((SELECT json_agg(json_build_object('id', p.id, 'email', p.email, 'deliveryEmail', coalesce(p.delivery_email, p.email),
          'fullName', p.full_name, 'shortName', p.short_name, 'avatarSource', p.avatar_source, 'avatarVersion', p.avatar_version))
          FROM users p WHERE p.id = ANY ($1::integer[])), '[]') AS people,
        coalesce((SELECT json_agg(json_build_object('id', s.id, 'name', s.name)) FROM streams s WHERE s.id = ANY ($2::integer[])), '[]') AS streams
      FROM shown_names_version names CROSS JOIN realm`,
    values: [userIds, streamIds],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('no organization has been created in this database');
  const { epoch, version, people, streams, stringId, settings } = row;
  return {
    epoch,
    version,
    people,
    streams,
    realm: { stringId, settings: withDefaults(realmSettingDefaults, settings) },
  };
}
