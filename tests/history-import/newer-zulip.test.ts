/** Shapes that exports of the reference server got in releases 5 to 12, beside those of the older fixture. */
import { join } from 'node:path';

import { readObjects } from '@parley/test-kit';
import type { ApiClient } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import {
  contents,
  expectRecords,
  expectRefused,
  readMessages,
  useImportTarget,
} from './imported-organization.ts';
import type { Report } from './imported-organization.ts';
import { asExported, realm, writeZulip, zulipFiles } from './zulip-fixture.ts';

const administrator = 'ada@bakery.example';
const target = useImportTarget();

const status = (version: string): string =>
  JSON.stringify({ migrations_by_app: { zerver: ['0001_initial'] }, zulip_version: version });

test.each(['13.0', '14.0-beta1+git'])('release %s is refused by its version', async (version) => {
  const archive = join(target.folder, 'bakery.tar.gz');
  await writeZulip(archive, { 'migration_status.json': status(version) });
  await expectRefused(target, `is of release ${version}`, 'zulip', archive, administrator);
});

const roles = [
  [91, 'role:administrators'],
  [92, 'role:members'],
] as const;

const groups = [
  { id: 1, name: 'bakers', description: 'All ovens', is_system_group: false },
  { id: 2, name: 'night', description: '', is_system_group: false },
  { id: 3, name: 'closed', description: '', is_system_group: false, deactivated: true },
  ...roles.map(([id, name]) => ({ id, name, description: '', is_system_group: true })),
];

const memberships = [
  { id: 1, user_group: 1, user_profile: 10 },
  { id: 2, user_group: 2, user_profile: 11 },
  { id: 3, user_group: 91, user_profile: 10 },
  { id: 4, user_group: 92, user_profile: 13 },
];

/** Groups in groups, which a fault may make a circle. */
const inGroups = [
  { id: 1, supergroup: 1, subgroup: 2 },
  { id: 2, supergroup: 2, subgroup: 1 },
];

const [organization = {}] = realm['zerver_realm'] ?? [];
const [general, board, cellar = {}, second, , ...streams] = realm['zerver_stream'] ?? [];

const common = {
  zerver_mutedtopic: undefined,
  zerver_usertopic: [
    { id: 1, user_profile: 11, stream: 21, topic_name: 'bread', visibility_policy: 1 },
    { id: 2, user_profile: 11, stream: 21, topic_name: 'rye', visibility_policy: 3 },
  ],
  zerver_usergroupmembership: memberships,
  zerver_groupgroupmembership: inGroups,
  zerver_realmfilter: [
    { id: 1, pattern: '#(?P<id>[0-9]+)', url_template: 'https://t.example/{id}' },
  ],
  zerver_muteduser: [{ id: 1, user_profile: 10, muted_user: 11 }],
  zerver_userprofile: [
    ...(realm['zerver_userprofile'] ?? []).map((row) => ({ ...row, alert_words: undefined })),
    {
      ...realm['zerver_userprofile']?.[1],
      id: 30,
      delivery_email: 'stub@bakery.example',
      is_imported_stub: true,
    },
  ],
};

/** As releases 5 to 8 write them. */
const eighth = {
  ...realm,
  ...common,
  zerver_realm: [
    { ...organization, create_stream_by_admins_only: undefined, create_public_stream_policy: 2 },
  ],
  zerver_usergroup: groups,
};

/** As releases from 9 on: names and roles are in a table of their own, and settings are groups. */
const twelfth = {
  ...realm,
  ...common,
  zerver_realm: [
    {
      ...organization,
      create_stream_by_admins_only: undefined,
      can_create_public_channel_group: 91,
      can_add_subscribers_group: 92,
      notifications_stream: undefined,
      new_stream_announcements_stream: 21,
    },
  ],
  zerver_stream: [
    general,
    board,
    { ...cellar, name: 'cellar', invite_only: false },
    second,
    ...streams.map((row) => ({
      ...row,
      is_announcement_only: undefined,
      stream_post_policy: undefined,
      can_send_message_group: row['name'] === 'news' ? 91 : 92,
    })),
  ],
  zerver_usergroup: [...groups, { id: 99 }].map(({ id }) => ({ id, realm: 2 })),
  zerver_namedusergroup: groups.map(({ id, ...rest }) => ({ usergroup_ptr: id, ...rest })),
};

describe.each([
  ['8.4', eighth],
  ['12.1', twelfth],
])('release %s', (version, tables) => {
  const own = useImportTarget();
  let report: Report;
  let ada: ApiClient;
  let bo: ApiClient;

  beforeAll(async () => {
    const file = join(own.folder, 'bakery.tar.gz');
    await writeZulip(file, {
      'realm.json': asExported(tables),
      'migration_status.json': status(version),
      'messages-000001.json': String(zulipFiles()['messages-000001.json']).replace(
        '"subject":""',
        String.raw`"is_channel_message":true, "subject":""`,
      ),
    });
    report = await own.report('zulip', file, administrator);
    ({ ada, bo } = await own.startFor({ ada: administrator, bo: 'bo@bakery.example' }));
  });

  test('has its groups with the people of the groups in them, and no roles', async () => {
    const found = readObjects(await ada.get('user_groups'), 'user_groups');
    expect(found.map(({ name, members }) => [name, (members as unknown[]).length])).toEqual([
      ['bakers', 2],
      ['night', 2],
    ]);
  });

  test('has its muted topics and linkifiers', async () => {
    const state = await bo.post('register', {});
    expect(state['muted_topics']).toEqual([['general', 'bread']]);
    expect(JSON.stringify(state['realm_filters'])).toContain('https://t.example/%(id)s');
  });

  test('lets those post and make streams who could', async () => {
    const state = await bo.post('register', {});
    expect(state).toMatchObject({ realm_create_stream_policy: 2 });
    expect(
      readObjects(state, 'streams')
        .filter((stream) => stream['is_announcement_only'] === true)
        .map(({ name }) => name),
    ).toContain('news');
  });

  test('has its archived stream for those who had it', async () => {
    expect(contents(await readMessages(ada))).toContain('In the cellar');
    expect(contents(await readMessages(bo))).not.toContain('In the cellar');
    const { rows } = await own.pool.query<{ name: string }>(
      `SELECT name FROM streams WHERE name LIKE '%cellar'`,
    );
    expect(rows).toEqual([{ name: '!DEACTIVATED:cellar' }]);
  });

  test('is accounted for', () => {
    expectRecords(report, [
      ['zerver_usertopic', 'skipped', 'topics are muted here, or not'],
      ['zerver_muteduser', 'skipped', 'this release does not know the table'],
      ['zerver_usergroupmembership', 'merged', 'the person has the role'],
    ]);
  });

  test('keeps people deactivated who were only stubs', async () => {
    const members = readObjects(await ada.get('users'), 'members');
    expect(members.filter(({ is_active: isActive }) => isActive === false)).not.toEqual([]);
    const stub = members.find(({ email }) => email === 'stub@bakery.example');
    expect(stub).toMatchObject({ is_active: false });
  });
});
