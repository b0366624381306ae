import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { drawDefaultAvatar } from '@parley/files/images';
import { readObjects, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';

import { meetTransaction } from '../support/held-transaction.ts';
import { textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { expectRefusal, uncoded } from './refusals.ts';
import { hugePicture, sendFiles } from './send-form.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

let picture: Buffer;
const organization = useFixture(() => startSmallOrganization());
beforeAll(async () => {
  picture = await drawDefaultAvatar(300);
});

const as = (who: PersonKey): ApiClient => organization.client(who);
const badImage = {
  ...uncoded('Could not decode image; did you upload an image file?'),
  code: 'BAD_IMAGE',
};
const large = Buffer.alloc(5 * 1024 * 1024 + 1);
const hasLimit = uncoded('Uploaded file is larger than the allowed limit of 5 MB');
const none = uncoded('You must upload exactly one avatar.');

function urlOf(path: string): string {
  return new URL(path, organization.cluster.url).href;
}

const upload = (who: PersonKey, ...files: (Buffer | string)[]): Promise<JsonObject> =>
  sendFiles(as(who), 'users/me/avatar', files);

async function fetchPicture(
  path: string,
): Promise<{ status: number; type: string | null; side: number }> {
  const answer = await fetch(urlOf(path));
  const content = Buffer.from(await answer.arrayBuffer());
  // Width and height of a PNG follow its first sixteen bytes.
  const isPng = content.subarray(1, 4).toString() === 'PNG';
  const side =
    isPng && content.readUInt32BE(16) === content.readUInt32BE(20) ? content.readUInt32BE(16) : 0;
  return { status: answer.status, type: answer.headers.get('content-type'), side };
}

/** More memory than a decoder process without work uses. */
const busyBytes = 175 * 1024 * 1024;

/** @returns the process that is decoding a large picture; its parent is this process, which runs the services */
async function findBusyDecoder(): Promise<number | undefined> {
  const tasks = await readdir('/proc/self/task');
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'utf8').catch(() => '')),
  );
  for (const pid of lists.flatMap((list) => list.split(' ').filter(Boolean))) {
    const program = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const bytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    if (program.includes('decoder-process') && bytes > busyBytes) return Number(pid);
  }
  return undefined;
}

async function setRealm(settings: object): Promise<void> {
  await organization.pool.query({
    text: 'UPDATE realm SET settings = $1',
    values: [JSON.stringify(settings)],
  });
}

function gravatar(email: string, version: number, size = ''): string {
  const hash = createHash('md5').update(email.toLowerCase()).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon${size}&version=${version}`;
}

async function storedPictures(): Promise<number> {
  const { uploadsDir } = organization.cluster.settings;
  const entries = await readdir(uploadsDir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

async function notedFiles(): Promise<string[]> {
  const { rows } = await organization.pool.query<{ key: string }>(
    'SELECT storage_key AS key FROM files_to_remove ORDER BY storage_key',
  );
  return rows.map(({ key }) => key);
}

describe("the caller's avatar", () => {
  test('is cropped to two sizes, announced to everybody, served without a key, and replaced', async () => {
    const queues = await WatchedQueues.open(
      { ann: as('ann'), gil: as('gil'), bobBot: as('bobBot') },
      as('cat'),
    );
    const answer = await upload('gil', picture);
    const url = textMatching(/^\/user_avatars\/1\/[0-9a-f]{40}\.png\?x=x&version=2$/);
    expect(answer).toEqual({ result: 'success', msg: '', avatar_url: url });
    const path = String(answer['avatar_url']);
    const medium = path.replace('.png', '-medium.png');
    const event = {
      type: 'realm_user',
      op: 'update',
      person: {
        user_id: organization.id('gil'),
        email: 'gil@example.com',
        avatar_source: 'U',
        avatar_url: path,
        avatar_url_medium: medium,
      },
    };
    expect(await queues.step()).toEqual({ ann: [event], gil: [event], bobBot: [event] });
    expect(await fetchPicture(path)).toEqual({ status: 200, type: 'image/png', side: 100 });
    expect(await fetchPicture(medium)).toEqual({ status: 200, type: 'image/png', side: 500 });
    expect(await as('gil').get('users/me')).toMatchObject({ avatar_url: path });
    const members = readObjects(await as('ann').get('users', { client_gravatar: true }), 'members');
    expect(members.find((member) => member['email'] === 'gil@example.com')?.['avatar_url']).toBe(
      path,
    );

    const stored = await storedPictures();
    expect((await upload('gil', picture))['avatar_url']).toBe(
      path.replace('version=2', 'version=3'),
    );
    // The previous picture is removed.
    expect(await storedPictures()).toBe(stored);
    expect(await as('gil').delete('users/me/avatar')).toMatchObject({
      avatar_url: gravatar('gil@example.com', 4),
    });
    expect(await storedPictures()).toBe(stored - 2);
    expect(await fetchPicture(path)).toMatchObject({ status: 404 });
    const events = await queues.step();
    expect(events.ann.map((item) => (item['person'] as JsonObject)['avatar_source'])).toEqual([
      'U',
      'G',
    ]);
  });

  test('a request without exactly one usable image is refused and leaves nothing', async () => {
    const before = await storedPictures();
    await expectRefusal(upload('bob'), none);
    await expectRefusal(upload('bob', picture, picture), none);
    await expectRefusal(as('bob').post('users/me/avatar', { a: 'b' }), none);
    await expectRefusal(upload('bob', 'This is no image.'), badImage);
    await expectRefusal(upload('bob', ''), badImage);
    await expectRefusal(
      upload('bob', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      badImage,
    );
    await expectRefusal(upload('bob', picture.subarray(0, picture.length / 2)), badImage);
    await expectRefusal(upload('bob', large), hasLimit);
    expect(await storedPictures()).toBe(before);
    expect(await as('bob').get('users/me')).toMatchObject({
      avatar_url: gravatar('bob@example.com', 1),
    });
  });

  test('decoded pictures have bounds of size and memory', async () => {
    const deep = sharp({ create: { width: 4_000, height: 4_000, channels: 4, background: 'red' } })
      .toColourspace('rgb16')
      .png({ progressive: true, compressionLevel: 1 });
    for (const content of [await deep.toBuffer(), hugePicture])
      await expectRefusal(upload('bob', content), {
        ...badImage,
        msg: 'Image size exceeds limit.',
      });
    expect(await upload('bob', await sharp(picture).tiff().toBuffer())).toMatchObject({
      result: 'success',
    });
    await as('bob').delete('users/me/avatar');
  });

  test("a picture that takes long delays nobody else's; if its process dies, it is refused and the next one is made", async () => {
    const slow = await sharp({
      create: { width: 4_400, height: 4_400, channels: 4, background: 'red' },
    })
      .png({ progressive: true, compressionLevel: 1 })
      .toBuffer();
    const uploading = upload('bob', slow);
    const decoder = await waitUntil('a picture is being decoded', findBusyDecoder, { pauseMs: 2 });
    process.kill(decoder, 'SIGSTOP');
    // One for each replica.
    const others = await Promise.all([upload('cat', picture), upload('cat', picture)]);
    expect(others.map(({ result }) => result)).toEqual(['success', 'success']);
    await as('cat').delete('users/me/avatar');
    process.kill(decoder, 'SIGKILL');
    await expectRefusal(uploading, { ...badImage, msg: 'Image size exceeds limit.' });
    expect(await upload('bob', picture)).toMatchObject({ result: 'success' });
    await as('bob').delete('users/me/avatar');
  });

  test('if avatars may not be changed, only administrators change theirs', async () => {
    await setRealm({ avatar_changes_disabled: true });
    const refused = uncoded('Avatar changes are disabled in this organization.');
    await expectRefusal(upload('bob', picture), refused);
    await expectRefusal(upload('bob'), none);
    await expectRefusal(as('bob').delete('users/me/avatar'), refused);
    expect(await upload('ann', picture)).toMatchObject({ result: 'success' });
    await setRealm({});
  });

  test('of two concurrent uploads one remains, and no other file', async () => {
    await as('cat').delete('users/me/avatar');
    const before = await storedPictures();
    const answers = await Promise.all(Array.from({ length: 4 }, () => upload('cat', picture)));
    const versions = answers.map((answer) => String(answer['avatar_url']).split('version=')[1]);
    expect(new Set(versions).size).toBe(4);
    expect(await storedPictures()).toBe(before + 2);
    expect(await fetchPicture(String(answers[0]?.['avatar_url']))).toMatchObject({ status: 200 });
  });

  test('files are marked for removal until the account uses them, and again when it no longer does', async () => {
    await as('cat').delete('users/me/avatar');
    expect(await notedFiles()).toEqual([]);
    const key = textMatching(/^avatars\/[0-9a-f]{32}(?:-medium)?$/);
    await meetTransaction(
      organization.pool,
      (holder) => holder.query('LOCK TABLE avatars IN SHARE MODE'),
      () => upload('cat', picture),
      async () => expect(await notedFiles()).toEqual([key, key]),
    );
    expect(await notedFiles()).toEqual([]);

    const { rows } = await organization.pool.query<{ key: string }>({
      text: 'SELECT file_key AS key FROM avatars WHERE user_id = $1',
      values: [organization.id('cat')],
    });
    const fileKey = rows[0]?.key ?? '';
    const place = join(organization.cluster.settings.uploadsDir, 'stored', fileKey);
    // A folder, which cannot be removed like a file.
    await rm(place);
    await mkdir(place);
    expect(await as('cat').delete('users/me/avatar')).toMatchObject({ result: 'success' });
    expect(await notedFiles()).toEqual([fileKey, `${fileKey}-medium`]);
  });
});

describe('avatars of bots', () => {
  test('are set on creation and changed later, with events for those who manage the bot', async () => {
    const created = await sendFiles(as('bob'), 'bots', [picture], {
      fields: { full_name: 'Pictured', short_name: 'pictured' },
    });
    expect(created).toMatchObject({
      result: 'success',
      avatar_url: textMatching(/^\/user_avatars\/1\/[0-9a-f]{40}\.png\?x=x&version=1$/),
    });
    expect(await fetchPicture(String(created['avatar_url']))).toMatchObject({
      status: 200,
      side: 100,
    });
    const queues = await WatchedQueues.open({ bob: as('bob'), gil: as('gil') }, as('cat'));
    const path = `bots/${String(created['user_id'])}`;
    const changed = await sendFiles(as('bob'), path, [picture], { method: 'PATCH' });
    const url = String(created['avatar_url']).replace('version=1', 'version=2');
    expect(changed).toMatchObject({ result: 'success', avatar_url: url, full_name: 'Pictured' });
    const { bob, gil } = await queues.step();
    expect(gil).toMatchObject([
      { type: 'realm_user', op: 'update', person: { avatar_source: 'U', avatar_url: url } },
    ]);
    expect(bob).toMatchObject([
      { type: 'realm_bot', op: 'update', bot: { user_id: created['user_id'], avatar_url: url } },
      gil[0],
    ]);
  });

  test('with several files or no image, nothing is created or changed', async () => {
    const fields = { full_name: 'Unpictured', short_name: 'unpictured' };
    const before = await storedPictures();
    const create = (...files: (Buffer | string)[]): Promise<JsonObject> =>
      sendFiles(as('bob'), 'bots', files, { fields });
    const change = (who: PersonKey, file: Buffer): Promise<JsonObject> =>
      sendFiles(as(who), `bots/${organization.id('bobBot')}`, [file], { method: 'PATCH', fields });
    await expectRefusal(
      create(picture, picture),
      uncoded('You may only upload one file at a time'),
    );
    await expectRefusal(create('no image'), badImage);
    await expectRefusal(create(large), hasLimit);
    await expectRefusal(change('bob', large), hasLimit);
    // If anything else is refused, the picture is not stored either.
    fields.full_name = 'Bob Ray';
    await expectRefusal(create(picture), 'Name is already in use!');
    await expectRefusal(change('cat', picture), 'Insufficient permission');
    expect(await storedPictures()).toBe(before);
    const members = readObjects(await as('ann').get('users'), 'members');
    expect(members.map((member) => member['full_name'])).not.toContain('Unpictured');
  });
});

describe('GET /avatar', () => {
  async function locate(
    path: string,
    headers = as('bob').credentials,
  ): Promise<[number, string | null]> {
    const answer = await fetch(urlOf(path), { redirect: 'manual', headers });
    await answer.arrayBuffer();
    return [answer.status, answer.headers.get('location')];
  }

  test('redirects to the picture of an address or id, and keeps the query', async () => {
    const { avatar_url: uploaded } = await upload('bob', picture);
    const id = organization.id('bob');
    expect(await locate(`/avatar/${id}`)).toEqual([302, uploaded]);
    expect(await locate('/avatar/BOB@example.com?a=b&c')).toEqual([
      302,
      `${String(uploaded)}&a=b&c=`,
    ]);
    expect(await locate(`/avatar/${id}/medium`)).toEqual([
      302,
      String(uploaded).replace('.png', '-medium.png'),
    ]);
    expect(await locate(`/avatar/hook-bot@example.com/medium`)).toEqual([
      302,
      gravatar('hook-bot@example.com', 1, '&s=500'),
    ]);
    expect(await locate('/avatar/nobody@example.com?s=1')).toEqual([
      302,
      `${gravatar('nobody@example.com', 1)}&s=1`,
    ]);
    expect(await locate('/avatar/999999999999999999999')).toEqual([
      302,
      gravatar('999999999999999999999', 1),
    ]);
  });

  test('accepts a key in the query, and does not pass it to Gravatar', async () => {
    const { apiKey } = organization.accounts.bob;
    const [status, location] = await locate(
      `/avatar/hook-bot@example.com?x=1&api_key=${apiKey}&%61pi_key=${apiKey}`,
      {},
    );
    expect([status, location]).toEqual([302, `${gravatar('hook-bot@example.com', 1)}&x=1`]);
  });
});

test('a missing picture is 404, and the default pictures always exist', async () => {
  for (const path of [
    `/user_avatars/1/${'0'.repeat(40)}.png`,
    '/user_avatars/1/x.png',
    '/user_avatars/2/x.png',
    '/user_avatars/1/..%2F..%2Fetc%2Fpasswd',
    '/user_avatars/1',
  ])
    expect(await fetchPicture(path)).toMatchObject({ status: 404 });
  expect(await fetchPicture('/static/images/default-avatar.png?x=x&version=1')).toEqual({
    status: 200,
    type: 'image/png',
    side: 100,
  });
  expect(await fetchPicture('/static/images/default-avatar-medium.png')).toMatchObject({
    status: 200,
    side: 500,
  });
});
