/** What an administrator exports by the interface (decision 0056) comes back by an import (decision 0054). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readObjects, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { useFixture } from '../support/use-fixture.ts';
import { expectRefused, inStream, readMessages, useImportTarget } from './imported-organization.ts';
import { onePixel } from './write-archives.ts';

const source = useFixture(() =>
  startSmallOrganization({ time: 'flows', events: 1, people: 1, messages: 1 }),
);
const target = useImportTarget();

async function fetchAs({ urls, credentials }: ApiClient, path: unknown): Promise<Buffer> {
  const answer = await fetch(`${urls[0]}${String(path)}`, { headers: credentials });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** What the format carries of the messages that somebody may read in a stream. */
async function told(client: ApiClient, stream: string): Promise<JsonObject[]> {
  return (await readMessages(client, inStream(stream))).map((message) => ({
    sender: message['sender_full_name'],
    subject: message['subject'],
    content: String(message['content'])
      .replaceAll(/\/user_uploads\/\S+\//g, '/user_uploads/…/')
      .replaceAll(/\|\d+\*\*/g, '|…**'),
    timestamp: message['timestamp'],
    lastEditedAt: message['last_edit_timestamp'],
    edits: (message['edit_history'] as JsonObject[] | undefined)?.map((edit) => ({
      at: edit['timestamp'],
      content: edit['prev_content'],
      topic: edit['prev_subject'],
    })),
    reactions: readObjects(message, 'reactions').map((reaction) => [
      reaction['emoji_name'],
      reaction['reaction_type'],
    ]),
  }));
}

/** What the format carries of people, by their names. */
async function peopleOf(client: ApiClient): Promise<ReadonlyMap<unknown, unknown>> {
  return new Map(
    readObjects(await client.get('users'), 'members').map((person) => [
      person['full_name'],
      ['is_active', 'is_admin', 'is_guest', 'is_bot', 'bot_type'].map((field) => person[field]),
    ]),
  );
}

async function emojiOf(client: ApiClient): Promise<JsonObject[]> {
  const { emoji } = await client.get('realm/emoji');
  return Object.values(emoji as Readonly<Record<string, JsonObject>>).map(
    ({ name, deactivated }) => ({ name, deactivated }),
  );
}

test('an exported organization is imported with all of its public data', async () => {
  const [ann, bob] = [source.client('ann'), source.client('bob')];
  const [cat, gil, bot] = [source.client('cat'), source.client('gil'), source.client('bobBot')];
  for (const client of [ann, bob, cat]) await client.subscribe('harbour');
  await ann.subscribe('harbour', { principals: [source.id('gil'), source.id('bobBot')] });
  await ann.subscribe('crew', { invite_only: true });
  const { uri } = await source
    .typed('bob')
    .request('POST /user_uploads', { file: new File(['high at noon'], 'tide.txt') });
  await bob.sendToStream('harbour', 'tides', `Look: [tide.txt](${uri}) @**Ann Lee**`);
  const edited = await ann.sendToStream('harbour', 'Ümläute', 'before');
  await ann.patch(`messages/${edited}`, { content: 'after: “quoted”, \\ and 🛶' });
  await bob.post(`messages/${edited}/reactions`, { emoji_name: 'heart' });
  const moved = await ann.sendToStream('harbour', 'tides', 'The ebb is at six');
  await ann.patch(`messages/${moved}`, { topic: 'ebb' });
  await ann.patch(`messages/${moved}`, { topic: 'low water', content: 'The ebb is at seven' });
  await source.typed('ann').request('POST /realm/emoji/{emoji_name}', {
    emoji_name: 'lantern',
    file: new File([onePixel], 'lantern.png', { type: 'image/png' }),
  });
  for (const client of [bob, cat])
    await client.post(`messages/${moved}/reactions`, { emoji_name: 'lantern' });
  await bot.sendToStream('harbour', 'tides', 'A ship has come in');
  await gil.sendToStream('harbour', 'tides', 'May I see it?');
  await cat.sendToStream('harbour', 'tides', 'My last word');
  await ann.delete(`users/${source.id('cat')}`);
  await ann.sendToStream('crew', 'x', 'not for everybody');

  await ann.post('export/realm');
  const made = await waitUntil('the archive is there', async () =>
    readObjects(await ann.get('export/realm'), 'exports').find(({ pending }) => pending === false),
  );
  const archive = join(target.folder, 'public.tar.gz');
  await writeFile(archive, await fetchAs(ann, made['export_url']));
  await expectRefused(target, 'Nobody in', 'zulip', archive, 'nobody@example.com');
  expect(await target.left()).toEqual({ rows: 0, files: [] });
  const ended = await target.importFrom('zulip', archive, 'ann@example.com', ['--strict']);
  expect([ended.code, ended.error]).toEqual([0, '']);
  const before = await target.left();
  await expectRefused(target, 'has an organization', 'zulip', archive, 'ann@example.com');
  expect(await target.left()).toEqual(before);

  const clientOf = await target.start();
  const reader = await clientOf('bob@example.com');
  expect(await told(reader, 'harbour')).toEqual(await told(bob, 'harbour'));
  const { streams } = await reader.get('streams');
  expect(JSON.stringify(streams)).not.toContain('crew');
  expect(await peopleOf(reader)).toEqual(await peopleOf(bob));
  expect(await emojiOf(reader)).toEqual(await emojiOf(bob));
  const listed = readObjects(await reader.get('attachments'), 'attachments');
  const content = await fetchAs(reader, `/user_uploads/${String(listed[0]?.['path_id'])}`);
  expect(content.toString()).toBe('high at noon');
});
