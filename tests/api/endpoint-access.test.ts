/** Who may call which endpoint. `every-endpoint.test.ts` shows that the server does as declared, and this that the declarations say what is meant. */
import type { Endpoint } from '@parley/api';
import { endpoints } from '@parley/api/endpoints';
import { expect, test } from 'vitest';

/** Methods and paths by who may call them. All others are for everybody who has an account, except incoming-webhook bots. */
const expected: Readonly<Record<string, readonly string[]>> = {
  administrators: [
    'POST /default_stream_groups/create',
    'DELETE PATCH /default_stream_groups/{group_id}',
    'PATCH /default_stream_groups/{group_id}/streams',
    'DELETE POST /default_streams',
    'GET POST /export/realm',
    'DELETE /export/realm/{export_id}',
    'GET /export/realm/{export_id}/file',
    'PATCH /realm',
    'POST /realm/deactivate',
    'POST /realm/domains',
    'DELETE PATCH /realm/domains/{domain}',
    'POST /realm/filters',
    'DELETE /realm/filters/{filter_id}',
    'DELETE POST /realm/icon',
    'DELETE POST /realm/logo',
    'PATCH POST /realm/profile_fields',
    'DELETE PATCH /realm/profile_fields/{field_id}',
    'DELETE PATCH /streams/{stream_id}',
    'POST /streams/{stream_id}/delete_topic',
    'POST /users',
  ],
  'administrators who are people': [
    'GET /invites',
    'POST /invites/multiuse',
    'DELETE /invites/multiuse/{invite_id}',
    'DELETE /invites/{invite_id}',
    'POST /invites/{invite_id}/resend',
    'GET POST /scim_tokens',
    'DELETE /scim_tokens/{token_id}',
  ],
  'people who are no guests': [
    'GET POST /bots',
    'DELETE PATCH /bots/{bot_id}',
    'POST /bots/{bot_id}/api_key/regenerate',
    'POST /invites',
    'POST /realm/emoji/{emoji_name}',
    'POST /user_groups/create',
    'DELETE PATCH /user_groups/{group_id}',
    'POST /user_groups/{group_id}/members',
  ],
  'all but guests': ['PATCH POST /users/me/subscriptions'],
  people: [
    'GET POST /drafts',
    'DELETE PATCH /drafts/{draft_id}',
    'DELETE GET POST /push_subscriptions',
    'DELETE GET /sessions',
    'DELETE /sessions/{session_id}',
    'PATCH /settings',
    'PATCH /settings/display',
    'PATCH /settings/notifications',
    'GET /sso/identities',
    'DELETE /sso/identities/{identity_id}',
    'POST /sso/link',
    'POST /users/me/api_key/regenerate',
    'DELETE /users/me',
    'POST /users/me/enter-sends',
    'POST /users/me/hotspots',
    'POST /users/me/presence',
    'DELETE PATCH /users/me/profile_data',
    'POST /users/me/status',
  ],
  'everybody, and incoming-webhook bots': ['POST /messages'],
  'everybody, and incoming-webhook bots by a key in the query': [
    'ANY /external/alertmanager',
    'ANY /external/circleci',
    'ANY /external/github',
    'ANY /external/gitlab',
    'ANY /external/helloworld',
    'ANY /external/heroku',
    'ANY /external/ifttt',
    'ANY /external/sentry',
    'ANY /external/slack',
    'ANY /external/splunk',
    'ANY /external/travis',
    'ANY /external/zabbix',
    'ANY /external/zapier',
  ],
  'everybody, also by a session or a key in the query': [
    'GET /avatar/{email_or_id}',
    'GET /avatar/{email_or_id}/medium',
    'GET /thumbnail',
    'GET /user_uploads/{realm_id}/{path...}',
  ],
  'nobody has to sign in': [
    'POST /dev_fetch_api_key',
    'GET POST /dev_list_users',
    'POST /fetch_api_key',
    'GET /generate_204',
    'POST /join',
    'POST /join/look',
    'POST /join/request',
    'POST /password_reset',
    'POST /password_reset/confirm',
    'GET /server_settings',
    'POST /sessions',
    'POST /settings/email/confirm',
    'POST /sso/finish',
    'POST /sso/start',
    'GET /static/generated/emoji/images/emoji/unicode/zulip.png',
    'GET /static/images/default-avatar-medium.png',
    'GET /static/images/default-avatar.png',
    'GET /static/images/logo/parley-logo-night.png',
    'GET /static/images/logo/parley-logo.png',
    'GET /user_avatars/{realm_id}/emoji/images/{file}',
    'GET /user_avatars/{realm_id}/realm/{file}',
    'GET /user_avatars/{realm_id}/{file}',
  ],
};

function nameAccess({ access }: Endpoint): string {
  if (access.authentication === 'none') return 'nobody has to sign in';
  if (access.authentication === 'scim token') return 'programs that keep accounts';
  if (access.keyParameter === 'preferred')
    return 'everybody, and incoming-webhook bots by a key in the query';
  if (access.incomingWebhookBots === 'allowed') return 'everybody, and incoming-webhook bots';
  if (access.keyParameter === 'accepted')
    return 'everybody, also by a session or a key in the query';
  if (access.administratorsOnly === true)
    return access.bots === 'refused' ? 'administrators who are people' : 'administrators';
  if (access.guests === 'refused')
    return access.bots === 'refused' ? 'people who are no guests' : 'all but guests';
  return access.bots === 'refused' ? 'people' : 'everybody';
}

const declared = Map.groupBy(endpoints, nameAccess);

test.each(Object.entries(expected))('%s', (who, lines) => {
  const methods = Map.groupBy(declared.get(who) ?? [], ({ path }) => path);
  const found = [...methods].map(
    ([path, same]) =>
      `${same
        .map(({ method }) => method)
        .toSorted()
        .join(' ')} ${path}`,
  );
  expect(found.toSorted()).toEqual(lines.toSorted());
});

test('no other kind is declared', () => {
  expect([...declared.keys()].toSorted()).toEqual(
    [...Object.keys(expected), 'everybody'].toSorted(),
  );
});
