/** The effect of edits and deletions of messages on the files that they link to. */
import type { JsonObject } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { UploadFixture } from './upload-fixture.ts';

const fixture = useFixture(() => UploadFixture.start());

/** The file owner's events since the last call; events of files are shown as the messages that link to them. */
async function bobsEvents(): Promise<unknown[]> {
  const events = (await fixture.queues.read()).bob ?? [];
  return events.map((event) => {
    if (event['type'] !== 'attachment') return event['type'];
    const attachment = event['attachment'] as { messages: { id: number }[] };
    return [event['op'], attachment.messages.map(({ id }) => id)];
  });
}

async function hasAttachment(id: number): Promise<boolean> {
  const narrow = [{ operator: 'has', operand: 'attachment' }];
  return (await fetchMessages(fixture.people.ann, { narrow })).ids.includes(id);
}

test('an edit adds and removes links to files, and a deletion removes all; the owner gets that event first', async () => {
  const { ann, bob, cat } = fixture.people;
  const uri = await fixture.upload(bob);
  const id = await bob.client.sendToStream('Denmark', 'files', 'none yet');
  const edit = (content: string): Promise<JsonObject> =>
    bob.client.patch(`messages/${id}`, { content });
  await fixture.queues.read();
  expect(await fixture.statusFor(cat, uri)).toBe(403);

  await edit(`here: [a](${uri})`);
  expect(await bobsEvents()).toEqual([['update', [id]], 'update_message']);
  expect(await hasAttachment(id)).toBe(true);
  expect(await fixture.statusFor(cat, uri)).toBe(200);
  expect(await fixture.attachment(bob, uri)).toMatchObject({ messages: [{ id }] });

  await edit(`still here: [a](${uri})`);
  expect(await bobsEvents()).toEqual(['update_message']);
  await bob.client.patch(`messages/${id}`, { topic: 'more files' });
  expect(await bobsEvents()).toEqual(['update_message']);
  expect(await hasAttachment(id)).toBe(true);

  await edit('gone');
  expect(await bobsEvents()).toEqual([['update', []], 'update_message']);
  expect(await hasAttachment(id)).toBe(false);
  expect(await fixture.statusFor(cat, uri)).toBe(403);

  await edit(`back: [a](${uri})`);
  await fixture.queues.read();
  await ann.client.delete(`messages/${id}`);
  expect(await bobsEvents()).toEqual([['update', []]]);
  expect(await fixture.attachment(bob, uri)).toMatchObject({ messages: [] });
  expect(await fixture.statusFor(cat, uri)).toBe(403);
});

test('an edit by a user who may not read a file does not give others access to it', async () => {
  const { bob, cat } = fixture.people;
  const uri = await fixture.upload(bob);
  const id = await cat.client.sendToStream('Denmark', 'files', 'none yet');
  await fixture.queues.read();
  await cat.client.patch(`messages/${id}`, { content: `[a](${uri})` });
  expect(await bobsEvents()).toEqual(['update_message']);
  expect(await hasAttachment(id)).toBe(false);
  expect(await fixture.statusFor(cat, uri)).toBe(403);
});

test('who left a private stream reads the files that its messages linked to then, and no others', async () => {
  const { bob, cat } = fixture.people;
  const { name } = await fixture.all.organization.makeStream('left', [bob, cat], {
    inviteOnly: true,
  });
  const [before, later] = [await fixture.upload(bob), await fixture.upload(bob)];
  const picture = (path: string): string => `https://pictures.example/${name}/${path}.png`;
  const id = await bob.client.sendToStream(name, 'x', `[a](${before}) ${picture('before')}`);
  await cat.client.unsubscribe(name);
  await bob.client.patch(`messages/${id}`, { content: `[b](${later}) ${picture('later')}` });
  expect(await fixture.statusFor(cat, before)).toBe(200);
  expect(await fixture.statusFor(cat, later)).toBe(403);
  for (const [path, status] of [
    ['before', 302],
    ['later', 403],
  ] as const)
    expect(
      await fixture.statusFor(
        cat,
        `/thumbnail?${new URLSearchParams({ url: picture(path), size: 'full' })}`,
      ),
    ).toBe(status);
});
