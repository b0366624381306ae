import { drawDefaultAvatar } from '@parley/files/images';
import { readObjects } from '@parley/test-kit';
import type { JsonObject, TestAccount } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { UploadFixture, basicOf } from './upload-fixture.ts';

const publicUrl = 'https://parley.example.org';

let ann: TestAccount;
let bob: TestAccount;
let picture: Buffer;

const fixture = useFixture(() => UploadFixture.start({ PARLEY_PUBLIC_URL: publicUrl }));
beforeAll(async () => {
  ({ ann, bob } = fixture.people);
  picture = await drawDefaultAvatar(64);
});

async function addPicture(path: string, fields: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(picture)]), 'picture.png');
  const answer = await fetch(`${fixture.all.cluster.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: basicOf(ann) },
    body: form,
  });
  expect([path, answer.status]).toEqual([path, 200]);
}

const attributes = /\s(?:src|href|data-src-fullsize)="([^"]*)"/g;

/**
 * Addresses of this server in an answer: values that are paths or begin with the server's address, and what elements in HTML load
 * or link to. Links to streams are fragments, which clients interpret themselves.
 */
function ownAddresses(answer: unknown): string[] {
  if (Array.isArray(answer)) return answer.flatMap(ownAddresses);
  if (typeof answer === 'object' && answer !== null)
    return Object.values(answer).flatMap(ownAddresses);
  if (typeof answer !== 'string') return [];
  const inHtml = [...answer.matchAll(attributes)].map(([, value]) =>
    value?.replaceAll('&amp;', '&'),
  );
  return [answer, ...inHtml].flatMap((text) => {
    const path = text?.startsWith(`${publicUrl}/`) ? text.slice(publicUrl.length) : text;
    return path !== undefined && /^\/[\w]\S*$/.test(path) ? [path] : [];
  });
}

/** Loads an address like a browser that has only the key. */
async function load(path: string): Promise<string> {
  const withKey = `${path}${path.includes('?') ? '&' : '?'}api_key=${ann.apiKey}`;
  const { status, headers } = await fixture.get(undefined, withKey);
  const { location } = headers;
  if (location === undefined) return `${status} ${headers['content-type']}`;
  expect(location).not.toContain(ann.apiKey);
  return location.startsWith('https://') ? 'elsewhere' : load(location);
}

const content = (uri: string): string =>
  [
    `[a picture](${uri})`,
    'https://img.example.org/fig.png',
    ':zulip: :newt: :tada: $$x^2$$',
    `!avatar(${ann.email}) !avatar(nobody@example.com) @**Bob Ray** #**Denmark**`,
  ].join('\n\n');

async function collect(): Promise<string[]> {
  const uri = await fixture.upload(ann, 'fig é.png', picture);
  await ann.client.sendToStream('Denmark', 'addresses', content(uri));
  const { messages } = await fetchMessages(ann, { apply_markdown: true, num_before: 1 });
  const answers: JsonObject[] = [
    ...messages,
    await ann.client.post('messages/render', { content: content(uri) }),
    await ann.client.post('register', { apply_markdown: true, include_subscribers: true }),
    await ann.client.get('server_settings'),
    ...readObjects(await ann.client.get('users'), 'members'),
    await bob.client.post('register', {}),
  ];
  return [...new Set(ownAddresses(answers))];
}

test('every address of this server in an answer loads with only the key added', async () => {
  await ann.client.patch('realm', { description: 'Welcome :zulip:' });
  const bare = await collect();
  for (const path of ['users/me/avatar', 'realm/icon', 'realm/emoji/newt']) await addPicture(path);
  for (const night of ['true', 'false']) await addPicture('realm/logo', { night });
  await ann.client.patch('realm', { email_address_visibility: 3 });
  const addresses = [...new Set([...bare, ...(await collect())])];
  expect(addresses).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\/user_uploads\/1\//),
      expect.stringMatching(/^\/thumbnail\?url=user_uploads.*size=full$/),
      expect.stringMatching(/^\/thumbnail\?url=https.*size=thumbnail$/),
      '/static/generated/emoji/images/emoji/unicode/zulip.png',
      expect.stringMatching(/^\/user_avatars\/1\/emoji\/images\//),
      expect.stringMatching(/^\/user_avatars\/1\/\w{40}\.png/),
      expect.stringMatching(/^\/user_avatars\/1\/\w{40}-medium\.png/),
      expect.stringMatching(/^\/user_avatars\/1\/realm\/icon/),
      expect.stringMatching(/^\/user_avatars\/1\/realm\/night_logo/),
      expect.stringMatching(/^\/static\/images\/logo/),
      expect.stringMatching(/^\/avatar\/nobody@/),
    ]),
  );
  for (const address of addresses)
    expect([address, await load(address)]).toEqual([
      address,
      expect.stringMatching(/^(?:200 image\/png|elsewhere)$/),
    ]);
});
