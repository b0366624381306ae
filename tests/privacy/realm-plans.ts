/** What everybody asks of the endpoints about the organization and its groups, which are the same for all. */
import { unknownId } from './plan.ts';
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
  'PATCH realm': byOthersThanAdministrators({ path: 'realm', parameters: { name: '"x"' } }),
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
  'GET realm/filters': () => [{ path: 'realm/filters' }],
  'POST realm/filters': byOthersThanAdministrators({
    path: 'realm/filters',
    parameters: { pattern: '#(?P<id>[0-9]+)', url_format_string: 'https://example.com/%(id)s' },
  }),
  'DELETE realm/filters/{filter_id:int}': byOthersThanAdministrators({ path: 'realm/filters/1' }),
  'GET user_groups': () => [{ path: 'user_groups' }],
  'POST user_groups/create': { because: 'a group is for everybody to see' },
  'PATCH user_groups/{group_id:int}': () => [
    { path: `user_groups/${unknownId}`, parameters: { name: 'x' }, succeeds: false },
  ],
  'DELETE user_groups/{group_id:int}': () => [
    { path: `user_groups/${unknownId}`, succeeds: false },
  ],
  'POST user_groups/{group_id:int}/members': () => [
    { path: `user_groups/${unknownId}/members`, parameters: { add: [1] }, succeeds: false },
  ],
};
