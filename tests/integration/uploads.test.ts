/** Uploaded files in a bucket, and at the quota, which the tests of the interface do not cover. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import S3rver from 's3rver';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { UploadFixture } from '../api/upload-fixture.ts';

const mib = 1024 * 1024;

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function notedFiles(fixture: UploadFixture): Promise<number> {
  const { rows } = await fixture.all.pool.query<{ count: number }>({
    text: 'SELECT count(*) AS count FROM files_to_remove',
  });
  return rows[0]?.count ?? 0;
}

let fixture: UploadFixture;
let server: S3rver;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-s3-'));
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'parley', configs: [] }],
  });
  const { port } = await server.run();
  fixture = await UploadFixture.start(
    {
      PARLEY_UPLOADS_DIR: '',
      PARLEY_S3_BUCKET: 'parley',
      PARLEY_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      PARLEY_S3_ACCESS_KEY_ID: 'S3RVER',
      PARLEY_S3_SECRET_ACCESS_KEY: 'S3RVER',
      PARLEY_MAX_UPLOAD_MIB: '8',
      PARLEY_UPLOAD_QUOTA_MIB: '20',
    },
    { people: 0 },
  );
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a file uploaded at one replica is downloaded from another', async () => {
  const { ann, bob, cat } = fixture.people;
  const content = Buffer.alloc(7 * mib, 7);
  const uri = await fixture.upload(bob, 'large.bin', content);
  await bob.client.sendToStream('Denmark', 'files', `[it](${uri})`);
  for (let turn = 0; turn < 4; turn += 1) {
    const got = await fixture.get(cat, uri);
    expect([got.status, content.equals(got.body)]).toEqual([200, true]);
  }
  const part = await fixture.get(ann, uri, { range: 'bytes=-3' });
  expect([part.status, part.body]).toEqual([206, Buffer.alloc(3, 7)]);
  const head = await fixture.get(ann, uri, {}, 'HEAD');
  expect(head.headers['content-length']).toBe(String(content.length));
  const id = Number((await fixture.attachment(bob, uri))?.['id']);
  await bob.client.delete(`attachments/${id}`);
  expect((await fixture.get(bob, uri)).status).toBe(404);
  expect(await filesIn(folder)).toEqual([]);
});

test('the quota applies to concurrent uploads, and refused ones leave nothing', async () => {
  const { bob, cat } = fixture.people;
  const answers = await Promise.all(
    [bob, cat, bob, cat].map((who) =>
      fixture.post(who, [{ name: 'a', content: Buffer.alloc(6 * mib) }]),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 200, 200, 400,
  ]);
  expect(answers.find(({ status }) => status === 400)?.body).toEqual({
    result: 'error',
    code: 'REALM_UPLOAD_QUOTA',
    msg: "Upload would exceed your organization's upload quota.",
  });
  expect(await notedFiles(fixture)).toBe(0);
  const { upload_space_used: used } = await bob.client.get('attachments');
  expect(used).toBe(18 * mib);
  // Deleting a file frees its part of the quota.
  const [first] = await fixture.attachmentsOf(bob);
  await bob.client.delete(`attachments/${String(first?.['id'])}`);
  expect((await bob.client.get('attachments'))['upload_space_used']).toBe(12 * mib);
  expect((await fixture.post(bob, [{ name: 'a', content: Buffer.alloc(6 * mib) }])).status).toBe(
    200,
  );
});

test('an unavailable bucket is 503, and everything else works', async () => {
  const { bob } = fixture.people;
  const [file] = await fixture.attachmentsOf(bob);
  const uri = `/user_uploads/${String(file?.['path_id'])}`;
  expect(await fixture.statusFor(bob, uri)).toBe(200);
  await server.close();
  const refused = await fixture.post(bob, [{ name: 'a', content: 'x' }]);
  expect([refused.status, refused.body['code']]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  const lost = await fixture.get(bob, uri);
  expect([lost.status, JSON.parse(lost.body.toString())]).toMatchObject([
    503,
    { code: 'SERVICE_UNAVAILABLE' },
  ]);
  await bob.client.sendToStream('Denmark', 'files', `still [here](${uri})`);
  await bob.client.delete(`attachments/${String(file?.['id'])}`);
  // Its stored content is removed when the bucket is back.
  expect(await notedFiles(fixture)).toBeGreaterThan(0);
});
