/** The export of public data by the interface (reference facts, people 14.4; decision 0056). */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { drawDefaultAvatar } from '@parley/files/images';
import { openTestPool, readObjects, settle, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { extract } from 'tar-stream';
import { beforeEach, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { success } from './refusals.ts';
import { sendForm } from './send-form.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() =>
  startSmallOrganization({ events: 1, people: 2, messages: 1 }),
);
beforeEach(async () => {
  await organization.pool.query('DELETE FROM realm_exports');
});

const uncoded = (msg: string): object => ({ result: 'error', msg });

async function exportsOf(who: PersonKey): Promise<readonly JsonObject[]> {
  return readObjects(await organization.client(who).get('export/realm'), 'exports');
}

/** @returns the only export, which is finished */
async function madeExport(): Promise<JsonObject> {
  await settle();
  const [made, ...more] = await exportsOf('ann');
  expect([made?.['pending'], more]).toEqual([false, []]);
  return made ?? {};
}

async function archiveOf(who: PersonKey, url: unknown): Promise<Map<string, Buffer>> {
  const { user, apiKey } = organization.accounts[who];
  const credentials = Buffer.from(`${user.email}:${apiKey}`).toString('base64');
  const answer = await fetch(organization.cluster.url + String(url), {
    headers: { Authorization: `Basic ${credentials}` },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  expect(answer.headers.get('cache-control')).toContain('no-store');
  const files = new Map<string, Buffer>();
  const unpack = extract();
  unpack.on('entry', ({ name }, content, next) => {
    const chunks: Uint8Array[] = [];
    content.on('data', (chunk) => chunks.push(chunk as Uint8Array));
    content.on('end', () => {
      files.set(name, Buffer.concat(chunks));
      next();
    });
  });
  await pipeline(Readable.from([Buffer.from(await answer.arrayBuffer())]), createGunzip(), unpack);
  return files;
}

type Table = readonly Readonly<Record<string, unknown>>[];

function read(files: ReadonlyMap<string, Buffer>, name: string): Record<string, Table> {
  return JSON.parse(files.get(`export/${name}`)?.toString('utf8') ?? '') as Record<string, Table>;
}

async function send(who: PersonKey, parameters: Record<string, unknown>): Promise<number> {
  const { id } = await organization.client(who).post('messages', parameters);
  return Number(id);
}

async function uploadText(who: PersonKey, name: string, text: string): Promise<string> {
  const file = new File([text], name);
  return (await organization.typed(who).request('POST /user_uploads', { file })).uri;
}

async function subscribe(who: PersonKey, name: string, options: JsonObject = {}): Promise<void> {
  await organization.client(who).subscribe(name, { ...options });
}

test('an administrator gets the public data, and nothing of what only some may read', async () => {
  await subscribe('ann', 'harbour');
  await subscribe('ann', 'crew', { invite_only: true });
  const shared = await uploadText('ann', 'tide.txt', 'high at noon');
  const secret = await uploadText('ann', 'plan.txt', 'hidden plan');
  const open = await send('ann', {
    type: 'stream',
    to: 'harbour',
    topic: 'tides',
    content: `Look: [tide.txt](${shared})`,
  });
  await send('ann', {
    type: 'stream',
    to: 'crew',
    topic: 'x',
    content: `Secret [plan](${secret})`,
  });
  await send('ann', { type: 'private', to: ['cat@example.com'], content: 'A private word' });
  await organization.client('ann').patch(`messages/${open}`, { topic: 'ebb' });
  await organization.client('bob').post(`messages/${open}/reactions`, { emoji_name: 'heart' });
  await sendForm(organization, 'bob', 'realm/emoji/lamp', [await drawDefaultAvatar(100)]);
  await organization.client('ann').post('users/me/alert_words', { alert_words: ['lighthouse'] });

  const events = await FollowedQueue.open(organization.client('ann'), {
    event_types: ['realm_export'],
  });
  expect(await organization.client('ann').post('export/realm')).toEqual(success);
  const made = await madeExport();
  const url = `/api/v1/export/realm/${String(made['id'])}/file`;
  expect(made).toEqual({
    id: made['id'],
    export_time: made['export_time'],
    acting_user_id: organization.id('ann'),
    export_url: url,
    deleted_timestamp: null,
    failed_timestamp: null,
    pending: false,
  });
  expect(await events.next(2)).toEqual([
    { type: 'realm_export', exports: [{ ...made, export_url: null, pending: true }] },
    { type: 'realm_export', exports: [made] },
  ]);

  const files = await archiveOf('ann', url);
  const realm = read(files, 'realm.json');
  expect(realm['zerver_stream']?.map(({ name }) => name)).toEqual(['harbour']);
  expect(realm['zerver_userprofile']?.map((person) => person['delivery_email'])).toEqual(
    Object.values(organization.accounts).map(({ user }) => user.deliveryEmail),
  );
  const { zerver_message: messages = [], zerver_usermessage: rows } = read(
    files,
    'messages-000001.json',
  );
  const ours = messages.filter(({ sender }) => sender === organization.id('ann'));
  expect(ours).toEqual([
    expect.objectContaining({
      id: open,
      subject: 'ebb',
      content: `Look: [tide.txt](${shared})`,
      recipient: realm['zerver_recipient']?.[0]?.['id'],
      sending_client: expect.any(Number) as number,
    }),
  ]);
  expect(JSON.parse(String(ours[0]?.['edit_history']))).toMatchObject([{ prev_subject: 'tides' }]);
  expect(rows).toEqual([]);
  expect(realm['zerver_reaction']).toEqual([
    expect.objectContaining({ message: open, user_profile: organization.id('bob') }),
  ]);
  expect(read(files, 'attachment.json')['zerver_attachment']).toEqual([
    expect.objectContaining({ file_name: 'tide.txt', messages: [open] }),
  ]);
  expect(files.get(`export/uploads/${shared.replace('/user_uploads/', '')}`)?.toString()).toBe(
    'high at noon',
  );
  expect(realm['zerver_realmemoji']).toEqual([expect.objectContaining({ name: 'lamp' })]);
  expect([...files.keys()].filter((name) => name.startsWith('export/emoji/1/'))).toHaveLength(1);
  expect(files.get('export/stats.txt')?.toString()).toMatch(
    /^messages-000001\.json\n +\d+ zerver_message\n +0 zerver_usermessage\n\n/,
  );

  const everything = [...files.values()].map((content) => content.toString('latin1')).join('\n');
  for (const hidden of [
    'Secret',
    'hidden plan',
    'plan.txt',
    'A private word',
    'crew',
    'lighthouse',
  ])
    expect(everything).not.toContain(hidden);
  for (const { apiKey } of Object.values(organization.accounts))
    expect(everything).not.toContain(apiKey);
  expect(everything).not.toMatch(/password|api_key|token/);
});

test('earlier texts are left out where nobody may read them', async () => {
  await subscribe('ann', 'harbour');
  const id = await send('ann', {
    type: 'stream',
    to: 'harbour',
    topic: 'slips',
    content: 'a slip of the pen',
  });
  await organization.client('ann').patch(`messages/${id}`, { content: 'mended' });
  await organization.client('ann').patch('realm', { allow_edit_history: false });
  await organization.client('ann').post('export/realm');
  const made = await madeExport();
  const files = await archiveOf('ann', made['export_url']);
  expect(files.get('export/messages-000001.json')?.toString()).toContain('mended');
  expect(files.get('export/messages-000001.json')?.toString()).not.toContain('slip of the pen');
});

test('a deleted export is listed without its archive, which is gone, and one that waits is given up', async () => {
  await organization.client('ann').post('export/realm');
  const made = await madeExport();
  const id = String(made['id']);
  const remove = async (): Promise<JsonObject> =>
    (await organization.client('ann').request('DELETE', `export/realm/${id}`)).body;
  expect(await remove()).toEqual(success);
  expect(await remove()).toEqual(uncoded('Export already deleted'));
  expect(await exportsOf('ann')).toEqual([
    { ...made, export_url: null, deleted_timestamp: expect.any(Number) as number },
  ]);
  expect((await organization.client('ann').request('GET', `export/realm/${id}/file`)).body).toEqual(
    uncoded('Invalid data export ID'),
  );
  const { rows } = await organization.pool.query(
    `SELECT 1 FROM files_to_remove WHERE storage_key LIKE 'exports/${id}-%'`,
  );
  expect(rows).toHaveLength(1);
});

test('one that is deleted while it is made is given up, and nothing is told of it any more', async () => {
  const { pool } = organization;
  const queue = await FollowedQueue.open(organization.client('ann'));
  const isFileWaiting = async (): Promise<boolean> => {
    const { rows } = await pool.query(
      "SELECT 1 FROM files_to_remove WHERE storage_key LIKE 'exports/%' AND due_at > parley_now()",
    );
    return rows.length > 0;
  };
  const holder = openTestPool(organization.cluster.settings.databaseUrl, 1, {
    idleInTransactionMaxMs: 60_000,
  });
  await holder.query('BEGIN; LOCK TABLE linkifiers IN ACCESS EXCLUSIVE MODE');
  await organization.client('ann').post('export/realm');
  // It comes to rest when the export is given up.
  const settled = settle();
  await waitUntil('it is being made', isFileWaiting);
  const [{ id } = { id: 0 }] = await exportsOf('ann');
  await organization.client('ann').delete(`export/realm/${String(id)}`);
  await holder.query('COMMIT');
  await holder.end();
  await settled;
  expect(await isFileWaiting()).toBe(false);
  await organization.client('ann').post('users/me/status', { status_text: 'done' });
  const types = (await queue.next(3)).map(({ type }) => type);
  expect(types).toEqual(['realm_export', 'realm_export', 'user_status']);
});

test('five within seven days are enough', async () => {
  await organization.pool.query(
    `INSERT INTO realm_exports (acting_user_id, requested_at, failed_at)
      SELECT ${organization.id('ann')}, parley_now() - make_interval(days => d), parley_now() FROM unnest('{1,2,3,4,8}'::int[]) d`,
  );
  const ask = async (): Promise<JsonObject> =>
    (await organization.client('ann').request('POST', 'export/realm')).body;
  expect(await ask()).toEqual(success);
  expect(await ask()).toEqual(uncoded('Exceeded rate limit.'));
});

test.each(['GET', 'DELETE'] as const)('%s of an unknown export is refused', async (method) => {
  const path = `export/realm/2147483647${method === 'GET' ? '/file' : ''}`;
  expect((await organization.client('ann').request(method, path)).body).toEqual(
    uncoded('Invalid data export ID'),
  );
});
