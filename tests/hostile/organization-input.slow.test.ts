/** No input produces a 500: every value of a parameter of the organization's endpoints is accepted or refused. */
import type { Method, Parameters } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { fetchAnonymously, sendForm } from '../api/send-form.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import { useFixture } from '../support/use-fixture.ts';

let groupId: number;
const organization = useFixture(() => startSmallOrganization());
beforeAll(async () => {
  const ann = organization.client('ann');
  await ann.post('user_groups/create', { name: 'crew', description: '' });
  const { user_groups: groups } = (await ann.get('user_groups')) as {
    user_groups: readonly { id: number }[];
  };
  groupId = groups[0]?.id ?? 0;
});

const oddValues: readonly string[] = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '"',
  '"\\u0000"',
  '\0',
  '"\\ud800"',
  '1e400',
  '-0',
  '99999999999999999999',
  '4294967296',
  '2147483648',
  '[2147483648]',
  '[-1]',
  '[null]',
  'true',
  '"😀"',
  'x'.repeat(100_000),
  '('.repeat(3000),
  `(?P<a>${'(a*)*'.repeat(50)})`,
  '(?P<a>(a{1000}){1000})',
  '(?P<a>[',
  'https://a.example/%(a)s'.repeat(50),
  '{"__proto__":true}',
  '{"Email":true,"constructor":true}',
  '%',
  '𐀀'.repeat(500),
  'İ',
  '\u202E',
];

const settings = [
  'name',
  'description',
  'default_language',
  'waiting_period_threshold',
  'message_retention_days',
  'authentication_methods',
  'notifications_stream_id',
  'digest_weekday',
  'video_chat_provider',
  'mandatory_topics',
  'message_content_edit_limit_seconds',
];

function requestsWith(odd: string): (readonly [Method, string, Parameters])[] {
  const inPath = encodeURIComponent(odd.slice(0, 1000).toWellFormed());
  return [
    ...settings.map((name): [Method, string, Parameters] => ['PATCH', 'realm', { [name]: odd }]),
    ['POST', 'realm/filters', { pattern: odd, url_format_string: 'https://a.example/%(a)s' }],
    ['POST', 'realm/filters', { pattern: '(?P<a>x)', url_format_string: odd }],
    ['POST', 'realm/domains', { domain: odd, allow_subdomains: true }],
    ['POST', 'realm/domains', { domain: 'a.example', allow_subdomains: odd }],
    ['POST', 'user_groups/create', { name: odd, description: odd }],
    ['POST', 'user_groups/create', { name: 'x', description: '', members: odd }],
    ['PATCH', `user_groups/${groupId}`, { name: odd, description: odd }],
    ['POST', `user_groups/${groupId}/members`, { add: odd }],
    ['POST', `user_groups/${groupId}/members`, { delete: odd }],
    ['POST', `realm/emoji/${inPath}`, {}],
    ['DELETE', `realm/emoji/${inPath}`, {}],
    ['PATCH', `realm/domains/${inPath}`, { allow_subdomains: true }],
    ['DELETE', `realm/domains/${inPath}`, {}],
    ['DELETE', `realm/filters/${inPath}`, {}],
    ['GET', `realm/icon?${inPath}`, {}],
    ['GET', `realm/logo?night=true&${inPath}=${inPath}`, {}],
  ];
}

test.each(oddValues.map((odd) => [odd.slice(0, 30), odd] as const))('%j', async (_shown, odd) => {
  const faults: string[] = [];
  const ann = organization.client('ann');
  for (const [method, path, parameters] of requestsWith(odd)) {
    const { status, text } = await ann.withoutChecks(method, path, parameters);
    if (status >= 500) faults.push(`${method} ${path}: ${status} ${text}`);
  }
  const inPath = encodeURIComponent(odd.slice(0, 1000).toWellFormed());
  for (const file of [
    `emoji/images/${inPath}`,
    `realm/${inPath}`,
    `realm/icon.png?version=${inPath}`,
  ]) {
    const { status } = await fetchAnonymously(organization, `/user_avatars/1/${file}`);
    if (status !== 404 && status !== 400) faults.push(`${file}: ${status}`);
  }
  const short = odd.slice(0, 900);
  for (const path of ['realm/emoji/x', 'realm/icon', 'realm/logo']) {
    const { status, body } = await sendForm(organization, 'ann', path, [short], { night: short });
    if (status >= 500 || body['result'] !== 'error') faults.push(`${path}: ${status}`);
  }
  expect(faults).toEqual([]);
});

test.each([
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/json',
  'text/plain',
])('pictures in a body that is not multipart (%s)', async (type) => {
  const { user, apiKey } = organization.accounts.ann;
  for (const path of ['realm/emoji/x', 'realm/icon', 'realm/logo?night=true']) {
    const answer = await fetch(new URL(`/api/v1/${path}`, organization.cluster.url), {
      method: 'POST',
      body: '--x\r\ngarbage',
      headers: {
        'content-type': type,
        authorization: `Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`,
      },
    });
    expect([path, answer.status]).toEqual([path, 400]);
  }
});
