import { realmSettingDefaults } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';

/** The organization (owner of `realm`): exactly one row, made before anything else. */

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
  /** Of those that the server has; see `authenticationMethods`. */
  readonly disabledAuthenticationMethods: readonly string[];
  readonly isDeactivated: boolean;
};

/** `D` is the server's own, `U` one that was uploaded. */
export type RealmLogo = { readonly source: 'D' | 'U'; readonly version: number };

type StoredRealm = Omit<Realm, 'settings'> & { readonly settings: Partial<RealmSettings> };

/**
 * Lays stored values over defaults, leaving out what this release does not know.
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
 * @param realm.stringId the identifier that messages carry as `sender_realm_str`; may be empty
 * @throws the database's unique violation when there is one already
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

/** @returns the organization, or undefined while none has been created */
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
 * @throws Error when none has been created
 */
export async function getRealm(db: Queryable): Promise<Realm> {
  const realm = await findRealm(db);
  if (realm === undefined) throw new Error('no organization has been created in this database');
  return realm;
}

/**
 * Keeps the organization's settings as they are until the transaction ends; called before anything else is locked.
 *
 * @returns the organization
 */
export async function lockRealmInUse(db: Queryable): Promise<Realm> {
  await db.query({ text: 'SELECT id FROM realm FOR SHARE' });
  return getRealm(db);
}

/**
 * Locks the organization for a change of it; called before anything else is locked.
 *
 * @returns the organization
 */
export async function lockRealmForChange(db: Queryable): Promise<Realm> {
  await db.query({ text: 'SELECT id FROM realm FOR NO KEY UPDATE' });
  return getRealm(db);
}

/** What may change of the organization beside its pictures; what is absent stays. */
export type RealmChange = {
  readonly name?: string;
  readonly stringId?: string;
  readonly description?: string;
  /** Laid over those that are stored. */
  readonly settings?: Partial<RealmSettings>;
  /** Null is none. */
  readonly notificationsStreamId?: number | null;
  readonly signupNotificationsStreamId?: number | null;
  readonly disabledAuthenticationMethods?: readonly string[];
};

/** Alters the organization, which the caller has locked for a change. */
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

/** Ends the organization, which the caller has locked for a change: nobody is let in any more. */
export async function deactivateRealm(db: Queryable): Promise<void> {
  await db.query({ text: 'UPDATE realm SET is_deactivated = true' });
}

/** Opens the organization again, which the caller has locked for a change. */
export async function reactivateRealm(db: Queryable): Promise<void> {
  await db.query({ text: 'UPDATE realm SET is_deactivated = false' });
}

/** The pictures of an organization, by what addresses call them. */
export type RealmPicture = 'icon' | 'logo' | 'night_logo';

const isPicture: ReadonlySet<string> = new Set<RealmPicture>(['icon', 'logo', 'night_logo']);

/** Names of columns are made of it, so it is looked at even where its type says what it is. */
function columnsOf(picture: RealmPicture): { source: string; version: string; fileKey: string } {
  if (!isPicture.has(picture)) throw new TypeError('no such picture');
  return {
    source: `${picture}_source`,
    version: `${picture}_version`,
    fileKey: `${picture}_file_key`,
  };
}

/**
 * Gives the organization, which the caller has locked for a change, another picture, or takes it back to the default. Its version
 * grows.
 *
 * @param fileKey null for the default
 * @returns the key of the picture before it, whose file nobody needs once this is committed
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

/** @returns the file of an uploaded picture with its version, or undefined where the default is in use */
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

/** Replaces the streams to which announcements go; null is none. */
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
