import { realmSettingDefaults } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';

/** The organization (owner of `realm`): exactly one row, created before anything else. */

export type Realm = {
  readonly id: number;
  readonly stringId: string;
  readonly name: string;
  readonly description: string;
  readonly settings: RealmSettings;
  readonly notificationsStreamId: number | null;
  readonly signupNotificationsStreamId: number | null;
  readonly iconVersion: number;
  readonly iconSource: 'G' | 'U';
  readonly logo: RealmLogo;
  readonly nightLogo: RealmLogo;
  /** A subset of `authenticationMethods`. */
  readonly disabledAuthenticationMethods: readonly string[];
  readonly isDeactivated: boolean;
};

/** `D` is the default, `U` is an uploaded picture. */
export type RealmLogo = { readonly source: 'D' | 'U'; readonly version: number };

type StoredRealm = Omit<Realm, 'settings'> & { readonly settings: Partial<RealmSettings> };

/**
 * Applies stored values over the defaults, without those that this release does not know.
 *
 * @returns a complete set of settings
 */
export function withDefaults<Settings extends object>(
  defaults: Settings,
  storedSettings: Partial<Settings>,
): Settings {
  const known = Object.entries(storedSettings).filter(([name]) => Object.hasOwn(defaults, name));
  return { ...defaults, ...Object.fromEntries(known) };
}

/**
 * Creates the organization.
 *
 * @param realm.stringId the identifier in messages, `sender_realm_str`; may be empty
 * @throws the database's unique violation if an organization exists already
 */
export async function createRealm(
  db: Queryable,
  realm: {
    readonly stringId: string;
    readonly name: string;
    readonly description?: string;
    readonly settings?: Partial<RealmSettings>;
  },
): Promise<void> {
  await db.query({
    text: 'INSERT INTO realm (id, string_id, name, description, settings) VALUES (1, $1, $2, $3, $4)',
    values: [
      realm.stringId,
      realm.name,
      realm.description ?? '',
      JSON.stringify(realm.settings ?? {}),
    ],
  });
}

/** @returns the organization, or undefined while there is none */
export async function findRealm(db: Queryable): Promise<Realm | undefined> {
  const { rows } = await db.query<StoredRealm>({
    name: 'store-find-realm',
    text: `SELECT id, string_id AS "stringId", name, description, settings, notifications_stream_id AS "notificationsStreamId",
        signup_notifications_stream_id AS "signupNotificationsStreamId", icon_version AS "iconVersion",
        icon_source AS "iconSource", json_build_object('source', logo_source, 'version', logo_version) AS logo,
        json_build_object('source', night_logo_source, 'version', night_logo_version) AS "nightLogo",
        disabled_authentication_methods AS "disabledAuthenticationMethods", is_deactivated AS "isDeactivated"
      FROM realm LIMIT 1`,
  });
  const row = rows[0];
  return row && { ...row, settings: withDefaults(realmSettingDefaults, row.settings) };
}

/**
 * @returns the organization
 * @throws Error if there is none
 */
export async function getRealm(db: Queryable): Promise<Realm> {
  const realm = await findRealm(db);
  if (realm === undefined) throw new Error('no organization has been created in this database');
  return realm;
}

/**
 * Keeps the organization's settings unchanged until the transaction ends; called before any other lock.
 *
 * @returns the organization
 */
export async function lockRealmInUse(db: Queryable): Promise<Realm> {
  await db.query({ text: 'SELECT id FROM realm FOR SHARE' });
  return getRealm(db);
}

/**
 * Locks the organization for a change; called before any other lock.
 *
 * @returns the organization
 */
export async function lockRealmForChange(db: Queryable): Promise<Realm> {
  await db.query({ text: 'SELECT id FROM realm FOR NO KEY UPDATE' });
  return getRealm(db);
}

/** The organization's properties that may change, except pictures; absent members stay unchanged. */
export type RealmChange = {
  readonly name?: string;
  readonly stringId?: string;
  readonly description?: string;
  /** Applied over the stored ones. */
  readonly settings?: Partial<RealmSettings>;
  /** Null is none. */
  readonly notificationsStreamId?: number | null;
  readonly signupNotificationsStreamId?: number | null;
  readonly disabledAuthenticationMethods?: readonly string[];
};

/** Changes the organization, which the caller has locked for a change. */
export async function updateRealm(db: Queryable, change: RealmChange): Promise<void> {
  const columns: readonly (readonly [string, unknown])[] = [
    ['name', change.name],
    ['string_id', change.stringId],
    ['description', change.description],
    ['notifications_stream_id', change.notificationsStreamId],
    ['signup_notifications_stream_id', change.signupNotificationsStreamId],
    ['disabled_authentication_methods', change.disabledAuthenticationMethods],
  ];
  const given = columns.filter(([, value]) => value !== undefined);
  const sets = given.map(([column], n) => `${column} = $${n + 2}`);
  await db.query({
    text: `UPDATE realm SET ${['settings = settings || $1::jsonb', ...sets].join(', ')}`,
    values: [JSON.stringify(change.settings ?? {}), ...given.map(([, value]) => value)],
  });
}

/** Deactivates the organization, which the caller has locked for a change: nobody has access after this. */
export async function deactivateRealm(db: Queryable): Promise<void> {
  await db.query({ text: 'UPDATE realm SET is_deactivated = true' });
}

/** Reactivates the organization, which the caller has locked for a change. */
export async function reactivateRealm(db: Queryable): Promise<void> {
  await db.query({ text: 'UPDATE realm SET is_deactivated = false' });
}

/** The pictures of an organization, by their names in addresses. */
export type RealmPicture = 'icon' | 'logo' | 'night_logo';

const isPicture: ReadonlySet<string> = new Set<RealmPicture>(['icon', 'logo', 'night_logo']);

/** Column names are made from it, so it is checked at run time too. */
function columnsOf(picture: RealmPicture): { source: string; version: string; fileKey: string } {
  if (!isPicture.has(picture)) throw new TypeError('no such picture');
  return {
    source: `${picture}_source`,
    version: `${picture}_version`,
    fileKey: `${picture}_file_key`,
  };
}

/**
 * Replaces a picture of the organization, which the caller has locked for a change, or restores the default. The picture's version
 * increases.
 *
 * @param fileKey null for the default
 * @returns the key of the earlier picture, whose file is unused after the commit
 */
export async function setRealmPicture(
  db: Queryable,
  picture: RealmPicture,
  fileKey: string | null,
): Promise<string | undefined> {
  const { source, version, fileKey: key } = columnsOf(picture);
  const { rows } = await db.query<{ formerKey: string | null }>({
    text: `UPDATE realm SET ${source} = $1, ${version} = realm.${version} + 1, ${key} = $2 FROM realm former
      WHERE former.id = realm.id RETURNING former.${key} AS "formerKey"`,
    values: [fileKey === null ? (picture === 'icon' ? 'G' : 'D') : 'U', fileKey],
  });
  return rows[0]?.formerKey ?? undefined;
}

/** @returns the file of an uploaded picture with its version, or undefined for the default */
export async function findRealmPicture(
  db: Queryable,
  picture: RealmPicture,
): Promise<{ readonly fileKey: string; readonly version: number } | undefined> {
  const { version, fileKey } = columnsOf(picture);
  const { rows } = await db.query<{ fileKey: string; version: number }>({
    name: `store-find-realm-${picture}`,
    text: `SELECT ${fileKey} AS "fileKey", ${version} AS version FROM realm WHERE ${fileKey} IS NOT NULL`,
  });
  return rows[0];
}

/** Replaces the streams for announcements; null means none. */
export async function setRealmNotificationStreams(
  db: Queryable,
  streams: {
    readonly notificationsStreamId: number | null;
    readonly signupNotificationsStreamId: number | null;
  },
): Promise<void> {
  await db.query({
    text: 'UPDATE realm SET notifications_stream_id = $1, signup_notifications_stream_id = $2',
    values: [streams.notificationsStreamId, streams.signupNotificationsStreamId],
  });
}
