/** Requests about the organization and its groups, which are the same for all. */
import { alike, idsOf, sampled, unknownId } from './plan.ts';
import type { Plan, Plans } from './plan.ts';
import type { Ask } from './asker.ts';

function byOthersThanAdministrators(ask: Ask): Plan {
  return ({ me }) => (me.role === 'administrator' ? [] : [{ ...ask, succeeds: false }]);
}

const inDevelopment = { because: 'it is there in development only, to list people' };

export const realmPlans: Plans = {
  'GET dev_list_users': inDevelopment,
  'POST dev_list_users': inDevelopment,
  'GET generate_204': { because: 'it answers nothing' },
  'PATCH realm': function* changeRealm({ me, hiddenStreams, random }) {
    const streams = random.sample(hiddenStreams, sampled);
    for (const parameter of ['notifications_stream_id', 'signup_notifications_stream_id'])
      yield* alike(`realm ${parameter}`, unknownId, idsOf(streams), (id) => ({
        path: 'realm',
        parameters: { [parameter]: id },
        succeeds: false,
      }));
    if (me.role !== 'administrator')
      yield { path: 'realm', parameters: { name: '"x"' }, succeeds: false };
  },
  'POST realm/deactivate': byOthersThanAdministrators({ path: 'realm/deactivate' }),
  'GET realm/domains': () => [{ path: 'realm/domains' }],
  'POST realm/domains': byOthersThanAdministrators({
    path: 'realm/domains',
    parameters: { domain: '"example.org"', allow_subdomains: true },
  }),
  'PATCH realm/domains/{domain}': byOthersThanAdministrators({
    path: 'realm/domains/example.org',
    parameters: { allow_subdomains: true },
  }),
  'DELETE realm/domains/{domain}': byOthersThanAdministrators({
    path: 'realm/domains/example.org',
  }),
  'GET realm/icon': { because: 'it redirects to the public address of the icon' },
  'POST realm/icon': byOthersThanAdministrators({ path: 'realm/icon' }),
  'DELETE realm/icon': byOthersThanAdministrators({ path: 'realm/icon' }),
  'GET realm/logo': { because: 'it redirects to the public address of the logo' },
  'POST realm/logo': byOthersThanAdministrators({ path: 'realm/logo' }),
  'DELETE realm/logo': byOthersThanAdministrators({ path: 'realm/logo' }),
  'GET /user_avatars/{realm_id}/realm/{file}': { because: 'it shows what everybody may see' },
  'GET /static/images/logo/parley-logo.png': { because: 'it is the same everywhere' },
  'GET /static/images/logo/parley-logo-night.png': { because: 'it is the same everywhere' },
  'GET realm/emoji': () => [{ path: 'realm/emoji' }],
  'POST realm/emoji/{emoji_name}': () => [{ path: 'realm/emoji/emoji', succeeds: false }],
  'DELETE realm/emoji/{emoji_name}': () => [{ path: 'realm/emoji/emoji', succeeds: false }],
  'GET /static/generated/emoji/images/emoji/unicode/zulip.png': () => [
    { path: '../../static/generated/emoji/images/emoji/unicode/zulip.png' },
  ],
  'GET /user_avatars/{realm_id}/emoji/images/{file}': {
    because: 'it shows what everybody may see',
  },
  'GET realm/filters': () => [{ path: 'realm/filters' }],
  'POST realm/filters': byOthersThanAdministrators({
    path: 'realm/filters',
    parameters: { pattern: '#(?P<id>[0-9]+)', url_format_string: 'https://example.com/%(id)s' },
  }),
  'DELETE realm/filters/{filter_id}': byOthersThanAdministrators({ path: 'realm/filters/1' }),
  'POST export/realm': byOthersThanAdministrators({ path: 'export/realm' }),
  'GET export/realm': byOthersThanAdministrators({ path: 'export/realm' }),
  'GET export/realm/{export_id}/file': byOthersThanAdministrators({ path: 'export/realm/1/file' }),
  'DELETE export/realm/{export_id}': byOthersThanAdministrators({ path: 'export/realm/1' }),
  'GET user_groups': () => [{ path: 'user_groups' }],
  'POST user_groups/create': { because: 'a group is for everybody to see' },
  'PATCH user_groups/{group_id}': () => [
    { path: `user_groups/${unknownId}`, parameters: { name: 'x' }, succeeds: false },
  ],
  'DELETE user_groups/{group_id}': () => [{ path: `user_groups/${unknownId}`, succeeds: false }],
  'POST user_groups/{group_id}/members': () => [
    { path: `user_groups/${unknownId}/members`, parameters: { add: [1] }, succeeds: false },
  ],
};
