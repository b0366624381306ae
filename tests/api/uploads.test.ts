import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';

import { replaceMessageUploads } from '@parley/store';
import { settle, waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf } from './message-fixture.ts';
import { UploadFixture, basicOf } from './upload-fixture.ts';
import { expectRefusal } from './refusals.ts';

const mib = 1024 * 1024;
const png = Buffer.from('\x89PNG\r\n\x1A\n\0\0\0\rIHDR', 'latin1');
const page = '<html><script>alert(document.domain)</script></html>';

let ann: TestAccount;
let bob: TestAccount;
let cat: TestAccount;
let guest: TestAccount;
let bot: TestAccount;

const fixture = useFixture(() => UploadFixture.start({ PARLEY_RATE_LIMITS: '60:2000' }));
beforeAll(async () => {
  ({ ann, bob, cat, guest, bot } = fixture.people);
});
beforeEach(() => fixture.queues.readWithMessages());

const uriPattern = /^\/user_uploads\/1\/[0-9a-f]{1,2}\/[A-Za-z0-9_-]{24}\//;

/** @returns the stored files, including those that are being written */
async function storedFiles(): Promise<string[]> {
  const { uploadsDir } = fixture.all.cluster.settings;
  const entries = await readdir(uploadsDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @returns the status of each account's request for a file */
async function statusesFor(
  uri: string,
  people: Readonly<Record<string, TestAccount>>,
): Promise<Record<string, number>> {
  const statuses = await Promise.all(
    Object.entries(people).map(async ([name, who]): Promise<[string, number]> => [
      name,
      await fixture.statusFor(who, uri),
    ]),
  );
  return Object.fromEntries(statuses);
}

describe('POST user_uploads', () => {
  test('accepts a file from anybody, and returns a relative uri with a clean name', async () => {
    for (const who of [ann, bob, guest, bot]) {
      const uri = await fixture.upload(who, 'My (first) file 日本.txt');
      expect(uri).toMatch(uriPattern);
      expect(uri.split('/').at(-1)).toBe('My-first-file-日本.txt');
      const got = await fixture.get(who, uri);
      expect([got.status, got.body.toString()]).toEqual([200, 'hello']);
    }
  });

  test("the query's type is the file's type, and its usual extension is appended", async () => {
    const uri = await fixture.upload(bob, 'note', 'hello', '?mimetype=text/plain');
    expect(uri.split('/').at(-1)).toBe('note.txt');
    expect((await fixture.get(bob, uri)).headers['content-type']).toBe('text/plain');
    const refused = await fixture.post(bob, [{ name: 'a', content: 'x' }], '?mimetype=nonsense');
    expect(refused).toEqual({
      status: 400,
      body: {
        result: 'error',
        msg: "Bad value for 'mimetype': nonsense",
        code: 'REQUEST_VARIABLE_INVALID',
        var_name: 'mimetype',
        bad_value: 'nonsense',
      },
    });
  });

  test.each([
    ['..%2F..%2Fetc%2Fpasswd', '....etcpasswd', '../../etc/passwd'],
    ['%00a%00.txt', 'a.txt', 'a.txt'],
    ['..', 'uploaded-file', '..'],
    ['%2e%2e', 'uploaded-file', '..'],
    ['<img src=x onerror=alert(1)>.html', 'img-srcx-onerroralert1.html', undefined],
    ['%F0%9F%8E%89.png', '.png', '🎉.png'],
    [`${'ä'.repeat(5000)}.txt`, `${'ä'.repeat(96)}.txt`, `${'ä'.repeat(251)}.txt`],
  ])('a file with a hostile name has a harmless path: %#', async (name, clean, shown) => {
    const before = new Set(await storedFiles());
    const uri = await fixture.upload(bob, name);
    expect(uri).toMatch(uriPattern);
    expect(uri.split('/').at(-1)).toBe(clean);
    expect(await fixture.statusFor(bob, uri)).toBe(200);
    const stored = (await storedFiles()).filter((path) => !before.has(path));
    expect(stored).toHaveLength(1);
    expect(stored[0]).toContain(join(fixture.all.cluster.settings.uploadsDir, 'stored', '1'));
    if (shown !== undefined) expect((await fixture.attachment(bob, uri))?.['name']).toBe(shown);
  });

  test('accepts a file of the maximum size, and refuses a larger one without a trace', async () => {
    const largest = await fixture.upload(bob, 'large', Buffer.alloc(25 * mib, 1));
    expect((await fixture.get(bob, largest)).body).toHaveLength(25 * mib);
    const before = await storedFiles();
    for (const more of [1, 900_000, 5 * mib]) {
      expect(
        await fixture.post(bob, [{ name: 'a', content: Buffer.alloc(25 * mib + more) }]),
      ).toEqual({
        status: 400,
        body: { result: 'error', msg: 'Uploaded file is larger than the allowed limit of 25 MB' },
      });
    }
    expect(await storedFiles()).toEqual(before);
  });

  test('an aborted upload leaves nothing', async () => {
    const before = await storedFiles();
    const own = await fixture.attachmentsOf(bob);
    const sent = fixture.begin('POST', '/api/v1/user_uploads', {
      authorization: basicOf(bob),
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(10 * mib),
    });
    sent.on('error', () => undefined);
    sent.write('--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n');
    sent.write(Buffer.alloc(3 * mib));
    await waitUntil('the file is being written', async () =>
      (await storedFiles()).length > before.length ? true : undefined,
    );
    sent.destroy();
    // The file is removed before the note that it is to be, and neither is before the server hears that the client is gone.
    await waitUntil('nothing is to be removed', async () => {
      const { rows } = await fixture.all.pool.query<{ left: number }>({
        text: 'SELECT count(*) AS left FROM files_to_remove',
      });
      return rows[0]?.left === 0 ? true : undefined;
    });
    expect(await storedFiles()).toHaveLength(before.length);
    expect(await fixture.attachmentsOf(bob)).toEqual(own);
  });
});

describe('GET /user_uploads', () => {
  test('an unlinked file is for its owner only, not even for administrators', async () => {
    const uri = await fixture.upload(bob);
    expect(await statusesFor(uri, { ann, bob, cat, guest, bot })).toEqual({
      ann: 403,
      bob: 200,
      cat: 403,
      guest: 403,
      bot: 403,
    });
  });

  test('a refusal and an unknown path are short pages', async () => {
    const uri = await fixture.upload(bob);
    const refused = await fixture.get(cat, uri);
    expect([refused.status, refused.body.toString(), refused.headers['content-type']]).toEqual([
      403,
      '<p>You are not authorized to view this file.</p>',
      'text/html; charset=utf-8',
    ]);
    const unknown = [
      `${uri}x`,
      uri.slice(0, -1),
      uri.replace('/user_uploads/1/', '/user_uploads/2/'),
      '/user_uploads/1/a',
      '/user_uploads/1/ab/cd/ef/gh',
      '/user_uploads/1/%2e%2e/%2e%2e/etc/passwd',
      '/user_uploads/1/../../../../etc/passwd',
      '/user_uploads/1/..%2f..%2fetc%2fpasswd',
      `${uri}%00`,
      `/user_uploads/1/${'x'.repeat(6000)}`,
      `/user_uploads/99999999/a/b/c`,
    ];
    for (const path of unknown) {
      const answer = await fixture.get(bob, path);
      expect([path.slice(0, 60), answer.status, answer.body.toString()]).toEqual([
        path.slice(0, 60),
        404,
        '<p>File not found.</p>',
      ]);
    }
  });

  test('a link in a public stream gives access to members, and to guests who hold the message', async () => {
    const uri = await fixture.upload(bob);
    await bob.client.sendToStream('Denmark', 'files', `see [it](${uri})`);
    expect(await statusesFor(uri, { ann, cat, guest, bot })).toEqual({
      ann: 200,
      cat: 200,
      guest: 403,
      bot: 200,
    });
    const member = await fixture.all.organization.makeAccount('Gil Guest', { role: 'guest' });
    await fixture.all.organization.makeStream('guests', [bob, member]);
    const shown = await fixture.upload(bob);
    await bob.client.sendToStream('guests', 'files', `[it](${shown})`);
    expect(await statusesFor(shown, { member, guest })).toEqual({ member: 200, guest: 403 });
  });

  test('a link in a private message gives access to its recipients', async () => {
    const uri = await fixture.upload(bob);
    await bob.client.sendPrivately([guest.email], `[it](${uri})`);
    expect(await statusesFor(uri, { ann, cat, guest, bot })).toEqual({
      ann: 403,
      cat: 403,
      guest: 200,
      bot: 403,
    });
  });

  test('in a private stream, shared history gives access to subscribers; otherwise only to holders, who keep it', async () => {
    const { organization, cluster } = fixture.all;
    const early = await organization.makeAccount('Ed Early');
    const late = await organization.makeAccount('Lia Late');
    for (const [name, lateStatus] of [
      ['vault', 200],
      ['hidden', 403],
    ] as const) {
      await ann.client.subscribe(name, { principals: [early.email] });
      const uri = await fixture.upload(bob);
      await bob.client.sendToStream(name, 'files', `[it](${uri})`);
      expect(await statusesFor(uri, { early, late, cat })).toEqual({
        early: 200,
        late: 403,
        cat: 403,
      });
      await ann.client.subscribe(name, { principals: [late.email] });
      await early.client.unsubscribe(name);
      expect(await statusesFor(uri, { early, late })).toEqual({ early: 200, late: lateStatus });
      await late.client.unsubscribe(name);
      expect(await fixture.statusFor(late, uri)).toBe(403);
    }
    expect(cluster.findProcesses('messages')).toHaveLength(2);
  });

  test('access ends when the stream becomes private', async () => {
    const { organization, pool } = fixture.all;
    const stream = await organization.makeStream('was public', [ann, bob]);
    const uri = await fixture.upload(bob);
    await bob.client.sendToStream('was public', 'files', `[it](${uri})`);
    expect(await statusesFor(uri, { ann, cat })).toEqual({ ann: 200, cat: 200 });
    await pool.query({
      text: 'UPDATE streams SET invite_only = true, version = version + 1 WHERE id = $1',
      values: [stream.id],
    });
    expect(await statusesFor(uri, { ann, cat })).toEqual({ ann: 200, cat: 403 });
  });

  test('access ends when the message loses its link', async () => {
    const uri = await fixture.upload(bob);
    const id = await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
    expect(await fixture.statusFor(cat, uri)).toBe(200);
    const client = await fixture.all.pool.connect();
    try {
      const changed = await replaceMessageUploads(client, id, []);
      expect(changed.map((path) => `/user_uploads/${path}`)).toEqual([uri]);
      expect(await replaceMessageUploads(client, id, [])).toEqual([]);
    } finally {
      client.release();
    }
    expect(await statusesFor(uri, { bob, cat, ann })).toEqual({ bob: 200, cat: 403, ann: 403 });
  });

  test('a link by a user who may not read a file gives no access to it', async () => {
    const uri = await fixture.upload(bob);
    const id = await cat.client.sendPrivately([guest.email], `look: ${uri} [x](${uri})`);
    expect(await statusesFor(uri, { cat, guest, ann })).toEqual({ cat: 403, guest: 403, ann: 403 });
    const has = { narrow: [{ operator: 'has', operand: 'attachment' }] };
    expect((await fetchMessages(cat, has)).ids).not.toContain(id);
    // A user who received the message may pass the file on.
    await bob.client.sendPrivately([cat.email], `[x](${uri})`);
    const passedOn = await cat.client.sendPrivately([guest.email], `[x](${uri})`);
    expect(await statusesFor(uri, { cat, guest, ann })).toEqual({ cat: 200, guest: 200, ann: 403 });
    expect((await fetchMessages(cat, has)).ids).toContain(passedOn);
  });

  test('absolute links to the organization and escaped names count, others do not', async () => {
    const plain = await fixture.upload(bob);
    const named = await fixture.upload(bob, 'naïve 日本.txt');
    await bob.client.sendPrivately(
      [cat.email],
      `[a](http://127.0.0.1:9991${plain}) [b](${encodeURI(named)})`,
    );
    expect(await fixture.statusFor(cat, plain)).toBe(200);
    expect(await fixture.statusFor(cat, named)).toBe(200);
    const elsewhere = await fixture.upload(bob);
    const id = await bob.client.sendPrivately([cat.email], `[a](http://other.example${elsewhere})`);
    expect(await fixture.statusFor(cat, elsewhere)).toBe(403);
    const { rows } = await fixture.all.pool.query<{ has: boolean }>({
      text: 'SELECT has_attachment AS has FROM messages WHERE id = $1',
      values: [id],
    });
    expect(rows[0]?.has).toBe(false);
  });

  const attachment = (name: string, encoded = name): string =>
    `attachment; filename="${name}"; filename*=UTF-8''${encoded}`;

  test.each([
    ['a.png', png, 'image/png', undefined],
    ['a.pdf', '%PDF-1.7 x', 'application/pdf', undefined],
    ['page.html', page, 'text/html', attachment('page.html')],
    ['picture.svg', `<svg>${page}</svg>`, 'image/svg+xml', attachment('picture.svg')],
    ['a.xml', '<x/>', 'application/xml', attachment('a.xml')],
    ['lie.png', page, 'application/octet-stream', attachment('lie.png')],
    ['nothing', 'x', 'application/octet-stream', attachment('nothing')],
    [
      'naïve "日本".txt',
      'x',
      'text/plain',
      attachment('na_ve-__.txt', 'na%C3%AFve-%E6%97%A5%E6%9C%AC.txt'),
    ],
  ])(
    '%s is served with its own type, and runs nothing',
    async (name, content, type, disposition) => {
      const uri = await fixture.upload(bob, name, content);
      const { headers } = await fixture.get(bob, uri);
      expect(headers['content-type']).toBe(type);
      expect(headers['content-disposition']).toBe(disposition);
      expect(headers['cache-control']).toBe('private, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
      expect(headers['content-security-policy']).not.toContain('script-src');
      expect(headers['access-control-allow-origin']).toBe('*');
    },
  );

  test('a claimed type does not turn a page into a picture', async () => {
    const uri = await fixture.upload(bob, 'x', page, '?mimetype=image/png');
    const { headers } = await fixture.get(bob, uri);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-disposition']).toBe(attachment('x.png'));
  });

  test('a script is shown as text', async () => {
    const uri = await fixture.upload(bob, 'x.js', 'alert(1)', '?mimetype=text/javascript');
    for (const path of [uri, `/thumbnail?url=${uri.slice(1)}&size=full`])
      expect((await fixture.get(bob, path)).headers).toMatchObject({
        'content-type': 'text/plain',
        'x-content-type-options': 'nosniff',
      });
  });

  test('supports HEAD, conditions and ranges', async () => {
    const uri = await fixture.upload(bob, 'digits.txt', '0123456789');
    const head = await fixture.get(bob, uri, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10', 0]);
    const etag = String(head.headers.etag);
    expect((await fixture.get(bob, uri, { 'if-none-match': etag })).status).toBe(304);
    expect((await fixture.get(cat, uri, { 'if-none-match': etag })).status).toBe(403);
    const part = await fixture.get(bob, uri, { range: 'bytes=2-4' });
    expect([part.status, part.body.toString(), part.headers['content-range']]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
    ]);
    expect((await fixture.get(bob, uri, { range: 'bytes=10-' })).status).toBe(416);
    expect((await fixture.get(bob, uri, { range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(
      200,
    );
  });

  test('accepts Basic or the key in the query; refusals of the key have codes', async () => {
    const uri = await fixture.upload(bob);
    const withKey = await fixture.get(undefined, `${uri}?api_key=${bob.apiKey}`);
    expect([withKey.status, withKey.body.toString()]).toEqual([200, 'hello']);
    expect((await fixture.get(bob, uri)).status).toBe(200);
    expect((await fixture.get(undefined, `${uri}?api_key=${cat.apiKey}`)).status).toBe(403);
    const refusals = [
      ['?api_key=short', 401, { code: 'INVALID_API_KEY', msg: 'Malformed API key' }],
      [`?api_key=${'x'.repeat(32)}`, 401, { code: 'INVALID_API_KEY', msg: 'Invalid API key' }],
      ['', 401, { msg: 'Not logged in: API authentication or user session required' }],
    ] as const;
    for (const [query, status, body] of refusals) {
      const refused = await fixture.get(undefined, uri + query);
      expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
        status,
        { result: 'error', ...body },
      ]);
    }
    const nobody = await fixture.get(undefined, uri);
    expect(nobody.headers['www-authenticate']).toBe('Session realm="zulip"');
    // A header is looked at first, as Basic alone.
    const wrong = await fixture.get(undefined, `${uri}?api_key=${bob.apiKey}`, {
      authorization: 'Basic eDp5',
    });
    expect(wrong.status).toBe(401);
  });

  test("a deactivated account's key gives no access, and its files remain for others", async () => {
    const { organization } = fixture.all;
    const gone = await organization.makeAccount('Dee Parted');
    const uri = await fixture.upload(gone);
    await gone.client.sendPrivately([cat.email], `[it](${uri})`);
    await ann.client.delete(`users/${gone.id}`);
    await settle();
    const refused = await fixture.get(undefined, `${uri}?api_key=${gone.apiKey}`);
    expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
      400,
      { result: 'error', code: 'BAD_REQUEST', msg: 'Account is deactivated' },
    ]);
    expect(await fixture.statusFor(cat, uri)).toBe(200);
  });

  test('an incoming-webhook bot may neither upload nor read', async () => {
    const hook = await fixture.all.organization.makeAccount('Hook', { botType: 2, owner: bob });
    const uri = await fixture.upload(bob);
    await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
    expect((await fixture.get(hook, uri)).status).toBe(401);
    expect((await fixture.get(undefined, `${uri}?api_key=${hook.apiKey}`)).status).toBe(400);
    expect((await fixture.post(hook, [{ name: 'a', content: 'x' }])).status).toBe(401);
  });

  test.each([
    ['over a link', 1_000],
    ['by HTTP', 300_000],
  ])('a truncated stored file is refused, %s', async (_way, size) => {
    const before = new Set(await storedFiles());
    const uri = await fixture.upload(bob, 'cut', Buffer.alloc(size));
    expect(await fixture.statusFor(bob, uri)).toBe(200);
    const path = (await storedFiles()).find((each) => !before.has(each)) ?? '';
    await truncate(path, size - 1);
    expect(await fixture.statusFor(bob, uri)).toBe(503);
  });
});

describe('attachments', () => {
  test('upload, link and deletion are reported to the owner only', async () => {
    const uri = await fixture.upload(bob, 'event file.txt', '12345');
    const pathId = uri.replace('/user_uploads/', '');
    const id = await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
    const listed = await fixture.attachment(bob, uri);
    const { rows } = await fixture.all.pool.query<{ at: number; used: number }>({
      text: 'SELECT extract(epoch FROM sent_at)::bigint AS at, (SELECT used_bytes FROM upload_space) AS used FROM messages WHERE id = $1',
      values: [id],
    });
    const used = rows[0]?.used;
    const messages = [{ id, name: (rows[0]?.at ?? 0) * 1000 }];
    expect(listed).toEqual({
      id: expect.any(Number) as number,
      name: 'event file.txt',
      path_id: pathId,
      size: 5,
      create_time: expect.any(Number) as number,
      messages,
    });
    expect(await bob.client.delete(`attachments/${String(listed?.['id'])}`)).toEqual({
      result: 'success',
      msg: '',
    });
    const events = await fixture.queues.readWithMessages();
    const types = events.bob.map((event) => `${String(event['type'])} ${String(event['op'])}`);
    expect(types).toEqual([
      'attachment add',
      'attachment update',
      'message undefined',
      'attachment remove',
    ]);
    expect(events.bob.filter((event) => event['type'] === 'attachment')).toEqual([
      {
        type: 'attachment',
        op: 'add',
        attachment: { ...listed, messages: [] },
        upload_space_used: used,
      },
      { type: 'attachment', op: 'update', attachment: listed, upload_space_used: used },
      {
        type: 'attachment',
        op: 'remove',
        attachment: { id: listed?.['id'] },
        upload_space_used: (used ?? 0) - 5,
      },
    ]);
    for (const who of ['ann', 'cat', 'guest', 'bot'] as const)
      expect(events[who].filter((event) => event['type'] === 'attachment')).toEqual([]);
    expect((await fixture.get(bob, uri)).body.toString()).toBe('<p>File not found.</p>');
    expect(await fixture.attachment(bob, uri)).toBeUndefined();
  });

  test('a link by somebody else is reported to the owner only if the owner may see it', async () => {
    const uri = await fixture.upload(bob);
    await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
    await fixture.queues.read();
    await cat.client.sendPrivately([guest.email], `[it](${uri})`);
    expect(await fixture.queues.read()).toEqual({});
    const seen = await cat.client.sendPrivately([bob.email], `[it](${uri})`);
    const { bob: events } = await fixture.queues.read();
    const listed = await fixture.attachment(bob, uri);
    expect(events?.map((event) => event['attachment'])).toEqual([listed]);
    const messages = listed?.['messages'] as { id: number }[];
    expect(messages.map(({ id }) => id)).toContain(seen);
    expect(messages).toHaveLength(2);
  });

  test('a message that links files of several owners is reported to each for the own files', async () => {
    const mine = [await fixture.upload(ann, '1'), await fixture.upload(ann, '2')];
    const theirs = await fixture.upload(bob, '3');
    await bob.client.sendPrivately([ann.email], `[3](${theirs})`);
    await fixture.queues.read();
    const id = await ann.client.sendPrivately(
      [bob.email, cat.email],
      [...mine, theirs, theirs].map((uri) => `[x](${uri})`).join(' '),
    );
    const events = await fixture.queues.read();
    expect(events.ann?.map((event) => event['attachment'])).toEqual([
      await fixture.attachment(ann, mine[0] ?? ''),
      await fixture.attachment(ann, mine[1] ?? ''),
    ]);
    expect(events.bob?.map((event) => event['attachment'])).toEqual([
      await fixture.attachment(bob, theirs),
    ]);
    for (const uri of [...mine, theirs]) expect(await fixture.statusFor(cat, uri)).toBe(200);
    expect(Object.keys(events).toSorted()).toEqual(['ann', 'bob']);
    expect(JSON.stringify(events)).toContain(`"id":${id}`);
  });

  test('a repeated send under one key reports nothing twice', async () => {
    const uri = await fixture.upload(bob);
    await fixture.queues.read();
    const send = (): Promise<unknown> =>
      bob.client.post(
        'messages',
        { type: 'private', to: [cat.email], content: `[it](${uri})` },
        { headers: { 'idempotency-key': `upload ${uri}` } },
      );
    await Promise.all([send(), send()]);
    await send();
    const events = await fixture.queues.read();
    expect(events.bob).toHaveLength(1);
    expect((await fixture.attachment(bob, uri))?.['messages']).toHaveLength(1);
  });

  test('many concurrent messages with and without links are reported in order', async () => {
    const uris = await Promise.all(
      Array.from({ length: 6 }, (_, n) => fixture.upload(bob, `many-${n}`)),
    );
    await fixture.queues.read();
    await Promise.all(
      uris.flatMap((uri, n) => [
        bob.client.sendToStream('Denmark', 'many', `[it](${uri})`),
        ann.client.sendToStream('Denmark', 'many', `plain ${n}`),
      ]),
    );
    const { bob: events } = await fixture.queues.readWithMessages();
    expect(events.filter(({ type }) => type === 'message')).toHaveLength(12);
    const linked = events.flatMap((event, at) => {
      if (event['type'] !== 'attachment') return [];
      const { messages } = event['attachment'] as { messages: { id: number }[] };
      const next = events.slice(at).find(({ type }) => type === 'message');
      return [[messages.at(-1)?.id, (next?.['message'] as { id: number } | undefined)?.id]];
    });
    expect(linked).toHaveLength(6);
    for (const [named, sent] of linked) expect(named).toBe(sent);
  });

  test('only the owner deletes', async () => {
    const uri = await fixture.upload(bob);
    await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
    const id = Number((await fixture.attachment(bob, uri))?.['id']);
    for (const who of [ann, cat, guest]) {
      await expectRefusal(who.client.delete(`attachments/${id}`), 'Invalid attachment');
    }
    for (const unknown of ['0', '999999999', '9999999999'])
      expect(await refusalOf(bob.client.delete(`attachments/${unknown}`))).toMatchObject({
        msg: 'Invalid attachment',
      });
    expect(await fixture.statusFor(bob, uri)).toBe(200);
    await bob.client.delete(`attachments/${id}`);
    expect(await refusalOf(bob.client.delete(`attachments/${id}`))).toMatchObject({
      msg: 'Invalid attachment',
    });
  });

  test('deleting an attachment makes its URL 404 for all readers', async () => {
    const uri = await fixture.upload(bob);
    await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
    const readers = { ann, bob, cat };
    expect(await statusesFor(uri, readers)).toEqual({ ann: 200, bob: 200, cat: 200 });
    const id = Number((await fixture.attachment(bob, uri))?.['id']);
    await bob.client.delete(`attachments/${id}`);
    expect(await statusesFor(uri, readers)).toEqual({ ann: 404, bob: 404, cat: 404 });
  });

  test('the stored file is removed with its row, and leftovers of a replica are removed', async () => {
    const before = await storedFiles();
    const uri = await fixture.upload(bob);
    const id = Number((await fixture.attachment(bob, uri))?.['id']);
    await bob.client.delete(`attachments/${id}`);
    expect(await storedFiles()).toEqual(before);
  });
});
