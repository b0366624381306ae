import type { TestAccount } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { UploadFixture } from './upload-fixture.ts';
import type { FileAnswer } from './upload-fixture.ts';

const publicUrl = 'https://parley.example.org';
const open = 'https://img.example.org/open%20fig.png?a=1&b=é';
const hidden = 'https://img.example.org/secret.png';
const png = Buffer.from('\x89PNG\r\n\x1A\n\0\0\0\rIHDR', 'latin1');

let ann: TestAccount;
let bob: TestAccount;
let cat: TestAccount;
let guest: TestAccount;

const fixture = useFixture(() => UploadFixture.start({ PARLEY_PUBLIC_URL: publicUrl }));
beforeAll(async () => {
  ({ ann, bob, cat, guest } = fixture.people);
  await fixture.all.organization.makeStream('secret', [cat], { inviteOnly: true });
  await ann.client.sendToStream('Denmark', 'pictures', open);
  await cat.client.sendToStream('secret', 'pictures', hidden);
});

type Outcome = { readonly status: number; readonly location: string | undefined };

function outcomeOf({ status, headers }: FileAnswer): Outcome {
  return { status, location: headers.location };
}

function thumbnailPath(query: Readonly<Record<string, string>>): string {
  return `/thumbnail?${new URLSearchParams(query)}`;
}

async function requestAs(who: TestAccount, url: string, size = 'thumbnail'): Promise<Outcome> {
  return outcomeOf(await fixture.get(who, thumbnailPath({ url, size })));
}

async function requestWithoutLogin(query: Readonly<Record<string, string>>): Promise<Outcome> {
  return outcomeOf(await fixture.get(undefined, thumbnailPath(query)));
}

/** Headers without those that differ in every answer. */
function lastingHeaders({ headers }: FileAnswer): FileAnswer['headers'] {
  const { date: _date, 'x-request-id': _id, ...lasting } = headers;
  return lasting;
}

const nowhere = { location: undefined };

describe('/thumbnail', () => {
  test('redirects to pictures in messages that the caller may see, in both sizes', async () => {
    const location = new URL(open).href;
    for (const size of ['thumbnail', 'full']) {
      expect(await requestAs(bob, open, size)).toEqual({ status: 302, location });
    }
    // A public stream's history is open to members who are not subscribed.
    expect(await requestAs(cat, open)).toEqual({ status: 302, location });
    expect(await requestAs(cat, hidden)).toEqual({ status: 302, location: hidden });
  });

  test('accepts the key as a parameter, and requires one', async () => {
    const query = { url: open, size: 'full' };
    expect(await requestWithoutLogin({ ...query, api_key: bob.apiKey })).toMatchObject({
      status: 302,
    });
    expect(await requestWithoutLogin({ ...query, api_key: 'x'.repeat(32) })).toEqual({
      status: 401,
      ...nowhere,
    });
    expect(await requestWithoutLogin(query)).toEqual({ status: 401, ...nowhere });
  });

  test('does not redirect to pictures that the caller was never shown', async () => {
    expect(await requestAs(ann, hidden)).toEqual({ status: 403, ...nowhere });
    expect(await requestAs(guest, open)).toEqual({ status: 403, ...nowhere });
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
      `${publicUrl}/api/v1/users`,
      'user_uploads/../api/v1/users',
      'user_uploads/..\\..\\x',
      'user_uploads/..//evil.example',
      'user_uploads/1/%2e%2e/%2e%2e/etc/passwd',
    ]) {
      expect(await requestAs(ann, url)).toEqual({ status: 403, ...nowhere });
    }
  });

  test('ignores text that only looks like a picture', async () => {
    const url = 'https://evil.example/forged.png';
    const markup = `<img data-src-fullsize="x" src="/thumbnail?url=${encodeURIComponent(url)}&amp;size=thumbnail">`;
    await ann.client.sendToStream('Denmark', 'pictures', `https://img.example.org/b.png ${markup}`);
    expect(await requestAs(ann, url)).toEqual({ status: 403, ...nowhere });
  });

  test('redirects to pictures of earlier versions while their history is readable', async () => {
    const [first, second] = ['https://img.example.org/1.png', 'https://img.example.org/2.png'];
    const id = await ann.client.sendToStream('Denmark', 'pictures', first);
    await ann.client.patch(`messages/${id}`, { content: second });
    await ann.client.patch(`messages/${id}`, { content: 'no picture' });
    const secret = 'https://img.example.org/3.png';
    const hiddenId = await cat.client.sendToStream('secret', 'pictures', secret);
    await cat.client.patch(`messages/${hiddenId}`, { content: 'no picture' });
    for (const url of [first, second]) {
      expect(await requestAs(bob, url)).toEqual({ status: 302, location: url });
      expect(await requestAs(guest, url)).toEqual({ status: 403, ...nowhere });
    }
    expect(await requestAs(cat, secret)).toEqual({ status: 302, location: secret });
    expect(await requestAs(ann, secret)).toEqual({ status: 403, ...nowhere });
    await ann.client.patch('realm', { allow_edit_history: false });
    expect(await requestAs(bob, first)).toEqual({ status: 403, ...nowhere });
    await ann.client.patch('realm', { allow_edit_history: true });
    await ann.client.delete(`messages/${id}`);
    expect(await requestAs(bob, first)).toEqual({ status: 403, ...nowhere });
  });

  test('redirects to pictures that the caller rendered within the last hour, at most a hundred', async () => {
    const url = (n: number): string => `https://img.example.org/rendered-${n}.png`;
    const render = (...numbers: number[]): Promise<unknown> =>
      bob.client.post('messages/render', { content: numbers.map(url).join(' ') });
    await render(1, 2);
    for (const n of [1, 2])
      expect(await requestAs(bob, url(n))).toEqual({ status: 302, location: url(n) });
    expect(await requestAs(ann, url(1))).toEqual({ status: 403, ...nowhere });
    await bob.client.post('messages/render', { content: 'no picture' });
    for (let n = 10; n < 105; n += 5) await render(n, n + 1, n + 2, n + 3, n + 4);
    expect(await requestAs(bob, url(2))).toEqual({ status: 302, location: url(2) });
    await Promise.all([render(200, 201), render(201, 200), render(202, 203, 204)]);
    expect(await requestAs(bob, url(2))).toEqual({ status: 403, ...nowhere });
    for (const n of [100, 200, 201, 202, 203, 204])
      expect(await requestAs(bob, url(n))).toEqual({ status: 302, location: url(n) });
    await fixture.all.pool.query({
      text: `UPDATE rendered_pictures SET shown_at = ARRAY(SELECT at - interval '1 hour' FROM unnest(shown_at) at)`,
    });
    expect(await requestAs(bob, url(200))).toEqual({ status: 403, ...nowhere });
    await render(200);
    expect(await requestAs(bob, url(200))).toEqual({ status: 302, location: url(200) });
    expect(await requestAs(bob, url(201))).toEqual({ status: 403, ...nowhere });
  });

  test('redirects to pictures of own messages that are sent later, until they are cancelled', async () => {
    const url = 'https://img.example.org/later%20fig.png?a=1&b=é';
    await bob.client.post('messages', {
      type: 'private',
      to: [ann.id],
      content: url,
      delivery_type: 'send_later',
      deliver_at: '2999-01-01T12:00Z',
    });
    expect(await requestAs(bob, url)).toEqual({ status: 302, location: new URL(url).href });
    expect(await requestAs(bob, `${url}x`)).toEqual({ status: 403, ...nowhere });
    expect(await requestAs(bob, url.slice(0, -1))).toEqual({ status: 403, ...nowhere });
    expect(await requestAs(ann, url)).toEqual({ status: 403, ...nowhere });
    const { scheduled_messages: waiting } = await bob.typed.request('GET /scheduled_messages');
    for (const { scheduled_message_id } of waiting)
      await bob.typed.request('DELETE /scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id,
      });
    expect(await requestAs(bob, url)).toEqual({ status: 403, ...nowhere });
  });

  test('returns the file of an upload, like its own address', async () => {
    const uri = await fixture.upload(bob, 'fig é.png', png);
    const asWritten = uri.slice(1);
    const escaped = encodeURI(asWritten);
    const addresses = [asWritten, escaped, uri, `${escaped}?a=1#b`, `${publicUrl}/${escaped}`];
    for (const url of addresses) {
      for (const size of ['thumbnail', 'full']) {
        const path = thumbnailPath({ url, size });
        const own = await fixture.get(bob, uri);
        const shown = await fixture.get(bob, path);
        expect([shown.status, shown.body]).toEqual([200, own.body]);
        expect(lastingHeaders(shown)).toEqual(lastingHeaders(own));
      }
    }
    const path = thumbnailPath({ url: asWritten, size: 'thumbnail' });
    expect((await fixture.get(cat, path)).status).toBe(403);
    expect((await fixture.get(bob, path, { range: 'bytes=1-3' })).body).toEqual(png.subarray(1, 4));
    const head = await fixture.get(bob, path, {}, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, String(png.length)]);
    for (const url of ['user_uploads/1/ab/none.png', 'user_uploads/1/ab/%ff.png'])
      expect(await requestAs(bob, url)).toEqual({ status: 404, ...nowhere });
  });

  test('pictures of a message load with only the key added to their address', async () => {
    const name = 'a picture.png';
    const uri = await fixture.upload(bob, name, png);
    await bob.client.sendToStream('Denmark', 'pictures', `[${name}](${uri})`);
    const { messages } = await fetchMessages(ann, { num_before: 1, apply_markdown: true });
    const html = String(messages.at(-1)?.['content']);
    for (const attribute of ['src', 'data-src-fullsize']) {
      const address = new RegExp(` ${attribute}="([^"]*)"`)
        .exec(html)?.[1]
        ?.replaceAll('&amp;', '&');
      const answer = await fixture.get(undefined, `${address}&api_key=${ann.apiKey}`);
      expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
        200,
        'image/png',
        png,
      ]);
      const strange = await fixture.get(undefined, `${address}&api_key=${'x'.repeat(32)}`);
      expect(strange.status).toBe(401);
    }
  });

  test.each([
    ['another size', { url: open, size: 'huge' }, 403],
    ['no size', { url: open }, 400],
    ['no address', { size: 'full' }, 400],
    ['a NUL', { url: 'https://a.example/\0.png', size: 'full' }, 400],
  ])('refuses %s', async (_name, query, status) => {
    expect(
      outcomeOf(await fixture.get(ann, thumbnailPath(query as Record<string, string>))),
    ).toEqual({
      status,
      ...nowhere,
    });
  });
});
