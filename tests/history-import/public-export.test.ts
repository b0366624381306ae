/** What an administrator exports by the interface (decision 0056) comes back by an import (decision 0054). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readObjects, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { ImportTarget } from './imported-organization.ts';

let source: SmallOrganization;
let target: ImportTarget;
beforeAll(async () => {
  source = await startSmallOrganization({ events: 1, people: 1, messages: 1 });
  target = await ImportTarget.create();
});
afterAll(async () => {
  await source?.stop();
  await target?.[Symbol.asyncDispose]();
});

async function fetchAs({ urls, email, apiKey }: ApiClient, path: unknown): Promise<Buffer> {
  const credentials = Buffer.from(`${email}:${apiKey}`).toString('base64');
  const answer = await fetch(`${urls[0]}${String(path)}`, {
    headers: { authorization: `Basic ${credentials}` },
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** What the format carries of the messages that somebody may read in a stream. */
async function told(client: ApiClient, stream: string): Promise<JsonObject[]> {
  const answer = await client.get('messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'stream', operand: stream }],
    apply_markdown: false,
  });
  return readObjects(answer, 'messages').map((message) => ({
    sender: message['sender_full_name'],
    subject: message['subject'],
    content: String(message['content']).replaceAll(/\/user_uploads\/\S+\//g, '/user_uploads/…/'),
    timestamp: message['timestamp'],
    isEdited: message['last_edit_timestamp'] !== undefined,
    reactions: readObjects(message, 'reactions').map((reaction) => reaction['emoji_name']),
  }));
}

test('an exported organization is imported with its public messages, files, reactions and people', async () => {
  const [ann, bob] = [source.client('ann'), source.client('bob')];
  for (const client of [ann, bob])
    await client.post('users/me/subscriptions', { subscriptions: [{ name: 'harbour' }] });
  await ann.post('users/me/subscriptions', {
    subscriptions: [{ name: 'crew' }],
    invite_only: true,
  });
  const { uri } = await source
    .typed('bob')
    .request('POST /user_uploads', { file: new File(['high at noon'], 'tide.txt') });
  const send = async (
    client: ApiClient,
    to: string,
    topic: string,
    content: string,
  ): Promise<number> =>
    Number((await client.post('messages', { type: 'stream', to, topic, content }))['id']);
  await send(bob, 'harbour', 'tides', `Look: [tide.txt](${uri}) @**Ann Lee**`);
  const edited = await send(ann, 'harbour', 'Ümläute', 'before');
  await ann.patch(`messages/${edited}`, { content: 'after: “quoted”, \\ and 🛶' });
  await bob.post(`messages/${edited}/reactions`, { emoji_name: 'heart' });
  await send(ann, 'crew', 'x', 'not for everybody');

  await ann.post('export/realm');
  const made = await waitUntil('the archive is there', async () =>
    readObjects(await ann.get('export/realm'), 'exports').find(({ pending }) => pending === false),
  );
  const archive = join(target.folder, 'public.tar.gz');
  await writeFile(archive, await fetchAs(ann, made['export_url']));
  const ended = await target.importFrom('zulip', archive, 'ann@example.com', ['--strict']);
  expect([ended.code, ended.error]).toEqual([0, expect.any(String)]);

  const clientOf = await target.start();
  const reader = await clientOf('bob@example.com');
  expect(await told(reader, 'harbour')).toEqual(await told(bob, 'harbour'));
  const { streams } = await reader.get('streams');
  expect(JSON.stringify(streams)).not.toContain('crew');
  const { members } = await reader.get('users');
  const names = (people: unknown): ReadonlySet<unknown> =>
    new Set((people as JsonObject[]).map((person) => person['full_name']));
  expect(names(members)).toEqual(names((await bob.get('users'))['members']));
  const listed = readObjects(await reader.get('attachments'), 'attachments');
  const content = await fetchAs(reader, `/user_uploads/${String(listed[0]?.['path_id'])}`);
  expect(content.toString()).toBe('high at noon');
});
