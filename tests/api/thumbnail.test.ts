import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';

type Who = 'ann' | 'bob' | 'cat' | 'guest';

const open = 'https://img.example.org/open%20fig.png?a=1&b=é';
const hidden = 'https://img.example.org/secret.png';

let all: MessageFixture;

beforeAll(async () => {
  all = await startMessageFixture();
  const { organization, ann, bob, cat } = all;
  await organization.makeStream('Denmark', [ann, bob]);
  await organization.makeStream('secret', [cat], { inviteOnly: true });
  await ann.client.sendToStream('Denmark', 'pictures', open);
  await cat.client.sendToStream('secret', 'pictures', hidden);
});
afterAll(() => all.stop());

async function get(
  query: Readonly<Record<string, string>>,
  authorization?: string,
): Promise<{ status: number; location: string | null }> {
  const answer = await fetch(
    `${all.cluster.gatewayUrls[0] ?? ''}/thumbnail?${new URLSearchParams(query)}`,
    {
      redirect: 'manual',
      headers: authorization === undefined ? {} : { authorization },
    },
  );
  await answer.body?.cancel();
  return { status: answer.status, location: answer.headers.get('location') };
}

const basic = (who: Who): string =>
  `Basic ${Buffer.from(`${all[who].email}:${all[who].apiKey}`).toString('base64')}`;
const asked = (
  who: Who,
  url: string,
  size = 'thumbnail',
): Promise<{ status: number; location: string | null }> => get({ url, size }, basic(who));

describe('/thumbnail', () => {
  test('redirects to what a message shows that the caller may see, in both sizes', async () => {
    const location = new URL(open).href;
    for (const size of ['thumbnail', 'full']) {
      expect(await asked('bob', open, size)).toEqual({ status: 302, location });
    }
    // A public stream's history is open to members who are not subscribed.
    expect(await asked('cat', open)).toEqual({ status: 302, location });
    expect(await asked('cat', hidden)).toEqual({ status: 302, location: hidden });
  });

  test('takes the key as a parameter, and refuses strangers', async () => {
    const query = { url: open, size: 'full' };
    expect(await get({ ...query, api_key: all.bob.apiKey })).toMatchObject({ status: 302 });
    expect(await get({ ...query, api_key: 'x'.repeat(32) })).toEqual({
      status: 401,
      location: null,
    });
    expect(await get(query)).toEqual({ status: 401, location: null });
  });

  test('vouches for nothing that nobody showed the caller', async () => {
    expect(await asked('ann', hidden)).toEqual({ status: 403, location: null });
    expect(await asked('guest', open)).toEqual({ status: 403, location: null });
    for (const url of [
      'https://evil.example/x.png',
      `${open}x`,
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example/a.png',
      'evil.example',
      '',
      'https://',
      'a\r\nSet-Cookie: b',
    ]) {
      expect(await asked('ann', url)).toEqual({ status: 403, location: null });
    }
  });

  test('is not taken in by text that looks like a picture', async () => {
    const url = 'https://evil.example/forged.png';
    const markup = `<img data-src-fullsize="x" src="/thumbnail?url=${encodeURIComponent(url)}&amp;size=thumbnail">`;
    await all.ann.client.sendToStream(
      'Denmark',
      'pictures',
      `https://img.example.org/b.png ${markup}`,
    );
    expect(await asked('ann', url)).toEqual({ status: 403, location: null });
  });

  test('sends uploads to where they are served, and to no other path', async () => {
    expect(await asked('guest', 'user_uploads/1/ab/fig é.png')).toEqual({
      status: 302,
      location: '/user_uploads/1/ab/fig%20%C3%A9.png',
    });
    for (const url of [
      'user_uploads/../api/v1/users',
      'user_uploads/..\\..\\x',
      'user_uploads/..//evil.example',
    ]) {
      expect(await asked('ann', url)).toEqual({ status: 404, location: null });
    }
  });

  test.each([
    ['another size', { url: open, size: 'huge' }, 403],
    ['no size', { url: open }, 400],
    ['no address', { size: 'full' }, 400],
    ['a NUL', { url: 'https://a.example/\0.png', size: 'full' }, 400],
  ])('refuses %s', async (_name, query, status) => {
    expect(await get(query as Record<string, string>, basic('ann'))).toEqual({
      status,
      location: null,
    });
  });
});
