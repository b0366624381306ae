/** The organization's settings, groups, profile fields, emoji, linkifiers and domains in the reference server's export. */
import { limits } from '@parley/api';
import { policyValues, realmSettingDefaults } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';

import type { Ledger } from '../../ledger.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import type { Row } from '../../reading/row.ts';
import type {
  DomainRecord,
  LinkifierRecord,
  OrganizationRecord,
  ProfileFieldRecord,
  ProfileValueRecord,
} from '../../records.ts';
import type { ZulipPeople } from './zulip-people.ts';
import type { ZulipStreams } from './zulip-streams.ts';
import { roleGroups } from './zulip-groups.ts';
import { eachRow } from './zulip-tables.ts';
import type { RealmTables } from './zulip-tables.ts';

function isPermitted(name: string, value: unknown): boolean {
  const values = Object.entries(policyValues).find(([policy]) => policy === name)?.[1];
  return values === undefined || values.some((permitted) => permitted === value);
}

/** Calls are made by other services. */
const setUpAnew = new Set(['video_chat_provider', 'google_hangouts_domain']);

/** Who may do something, as releases from 9 on say it by a group of the role. */
const policiesOfRoles: Readonly<Record<string, number>> = {
  owners: 2,
  administrators: 2,
  moderators: 2,
  fullmembers: 3,
  members: 1,
};

/** Policies by the names that they got in later releases; the first that the row has counts. */
const laterPolicies: Readonly<Record<string, readonly string[]>> = {
  create_stream_policy: ['create_public_stream_policy', 'can_create_public_channel_group'],
  invite_to_stream_policy: ['can_add_subscribers_group'],
};

function laterPolicyOf(row: Row, policy: string, roles: ReadonlyMap<number, string>): unknown {
  const name = laterPolicies[policy]?.find((candidate) => row.has(candidate));
  if (name === undefined) return undefined;
  const value = row.findInteger(name);
  return name.endsWith('_group') ? policiesOfRoles[roles.get(value ?? -1) ?? ''] : value;
}

function settingsOf(row: Row, roles: ReadonlyMap<number, string>): Partial<RealmSettings> {
  const settings: Record<string, unknown> = {};
  for (const [name, usual] of Object.entries(realmSettingDefaults)) {
    const value = row.value(name) ?? laterPolicyOf(row, name, roles);
    if (typeof value === typeof usual && isPermitted(name, value) && !setUpAnew.has(name))
      settings[name] = value;
  }
  const byAdmins = row.findBoolean('create_stream_by_admins_only');
  if (byAdmins !== undefined) {
    const waits = (row.findInteger('waiting_period_threshold') ?? 0) > 0;
    settings['create_stream_policy'] = byAdmins ? 2 : waits ? 3 : 1;
  }
  return settings;
}

export function readZulipOrganization(
  tables: RealmTables,
  streams: ZulipStreams,
  ledger: Ledger,
): OrganizationRecord {
  const row = tables.rows.zerver_realm[0]?.row;
  if (row === undefined) throw new Error('the table of organizations was not checked');
  const streamOf = (...names: readonly string[]): number | undefined => {
    const oldId = names.map((name) => row.findInteger(name)).find((id) => id !== undefined);
    return oldId === undefined ? undefined : streams.indexOf(oldId);
  };
  const stringId = (row.findText('string_id') ?? '').toLowerCase();
  ledger.imported('zerver_realm');
  return {
    name: cleanName(row.text('name'), limits.organizationNameMaxCodePoints) || 'Organization',
    stringId: /^[a-z0-9-]{0,40}$/.test(stringId) ? stringId : '',
    description: cutTo(
      row.findText('description') ?? '',
      limits.organizationDescriptionMaxCodePoints,
    ),
    settings: settingsOf(row, roleGroups(tables)),
    // How people sign in is configured for each installation.
    disabledAuthenticationMethods: [],
    notificationsStream: streamOf('notifications_stream', 'new_stream_announcements_stream'),
    signupNotificationsStream: streamOf(
      'signup_notifications_stream',
      'signup_announcements_stream',
    ),
  };
}

const fieldTypes = { shortText: 1, longText: 2, choice: 3, date: 4, url: 5, person: 6, account: 7 };
const fieldNameMax = 40;
const fieldHintMax = 80;
const valueMax: Readonly<Record<number, number>> = { 1: 50, 2: 500, 5: 2000, 7: 50 };

/** @returns JSON text that this release keeps, or undefined if the field has another type here */
function fieldDataOf(type: number, text: string): string | undefined {
  if (type !== fieldTypes.choice && type !== fieldTypes.account) return '';
  try {
    const data: unknown = JSON.parse(text);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject && Object.keys(data).length > 0 && text.length <= limits.smallJsonMaxLength
      ? JSON.stringify(data)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Profile fields with their values. */
export function readZulipProfiles(
  { rows }: RealmTables,
  people: ZulipPeople,
  ledger: Ledger,
): {
  readonly fields: readonly ProfileFieldRecord[];
  readonly values: readonly ProfileValueRecord[];
} {
  const names = new UniqueNames(fieldNameMax);
  const fields: ProfileFieldRecord[] = [];
  const byId = new Map<number, { readonly index: number; readonly type: number }>();
  const inOrder = rows.zerver_customprofilefield.toSorted(
    (a, b) => (a.row.findInteger('order') ?? 0) - (b.row.findInteger('order') ?? 0),
  );
  eachRow('zerver_customprofilefield', inOrder, ledger, ({ row, place }) => {
    const given = row.findInteger('field_type') ?? 0;
    const data = fieldDataOf(given, row.findText('field_data') ?? '');
    const type = given >= 1 && given <= 7 && data !== undefined ? given : fieldTypes.shortText;
    if (type !== given) ledger.remark('profile fields of unknown types are short texts');
    byId.set(row.integer('id'), { index: fields.length, type });
    const written = row.text('name');
    const name = names.take(cleanName(written, fieldNameMax) || 'Field');
    ledger.named('profile field', written, name);
    fields.push({
      place,
      name,
      type,
      hint: cutTo(row.findText('hint') ?? '', fieldHintMax),
      fieldData: data ?? '',
    });
    ledger.imported('zerver_customprofilefield');
  });
  const values: ProfileValueRecord[] = [];
  const kind = 'zerver_customprofilefieldvalue';
  const seen = new Set<string>();
  eachRow(kind, rows[kind], ledger, ({ row, place }) => {
    const person = people.indexOf(row.integer('user_profile'));
    const field = byId.get(row.integer('field'));
    const value = row.text('value');
    if (person === undefined || field === undefined)
      return ledger.skipped(kind, 'its person or field is not in the archive', place);
    if (value === '') return ledger.skipped(kind, 'it is empty', place);
    const key = `${person} ${field.index}`;
    if (seen.has(key)) return ledger.merged(kind, 'the person has another value', place);
    seen.add(key);
    values.push({
      place,
      person,
      field: field.index,
      value:
        field.type === fieldTypes.person
          ? pickedPeople(value, people)
          : cutTo(value, valueMax[field.type] ?? valueMax[2] ?? 500),
    });
    return ledger.imported(kind);
  });
  return { fields, values };
}

function pickedPeople(value: string, people: ZulipPeople): number[] {
  try {
    const ids: unknown = JSON.parse(value);
    return Array.isArray(ids)
      ? ids.flatMap((id: unknown) => (typeof id === 'number' ? (people.indexOf(id) ?? []) : []))
      : [];
  } catch {
    return [];
  }
}

/** Templates of RFC 6570, of releases from 7 on, in the older form; expressions that it does not have are refused as it is. */
function urlFormatOf(row: Row): string {
  const template = row.findText('url_template');
  return template === undefined
    ? row.text('url_format_string')
    : template.replaceAll(/\{(\w+)\}/g, '%($1)s');
}

export function readZulipLinkifiers({ rows }: RealmTables, ledger: Ledger): LinkifierRecord[] {
  const found: LinkifierRecord[] = [];
  eachRow('zerver_realmfilter', rows.zerver_realmfilter, ledger, ({ row, place }) => {
    found.push({ place, pattern: row.text('pattern'), urlFormat: urlFormatOf(row) });
  });
  return found;
}

export function readZulipDomains({ rows }: RealmTables, ledger: Ledger): DomainRecord[] {
  const found: DomainRecord[] = [];
  eachRow('zerver_realmdomain', rows.zerver_realmdomain, ledger, ({ row, place }) => {
    found.push({
      place,
      domain: row.text('domain'),
      allowSubdomains: row.isTrue('allow_subdomains'),
    });
  });
  return found;
}
