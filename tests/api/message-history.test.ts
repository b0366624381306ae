/** GET messages/<id> and messages/<id>/history. */
import { expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { ChangeFixture, invalidMessage } from './change-fixture.ts';
import { expectRefusal } from './refusals.ts';

const fixture = useFixture(() => ChangeFixture.start([]));

test('the raw text is the original, whatever other parameters say', async () => {
  const id = await fixture.send('bob', 'lunch', '  *hi* <b>\n@**Fay Here**');
  const answer = await fixture.people.fay.client.get(`messages/${id}`, { apply_markdown: true });
  expect(answer).toEqual({
    result: 'success',
    msg: '',
    raw_content: '  *hi* <b>\n@**Fay Here**',
  });
});

test('a message without edits has one snapshot with five keys', async () => {
  const id = await fixture.send('bob', 'lunch', '*hi*');
  expect(await fixture.history('fay', id)).toEqual([
    {
      topic: 'lunch',
      content: '*hi*',
      rendered_content: '<p><em>hi</em></p>',
      user_id: fixture.people.bob.id,
      timestamp: anyNumber,
    },
  ]);
});

test('each edit is a snapshot of the message after it, oldest first; the message lists the newest first', async () => {
  const id = await fixture.send('bob', 'lunch', 'content before edit');
  await fixture.edit('bob', id, { content: 'content after edit' });
  await fixture.edit('fay', id, { topic: 'dinner' });
  await fixture.edit('bob', id, { content: 'both', topic: 'supper' });
  const [original, content, topic, both, ...more] = await fixture.history('fay', id);
  expect(more).toEqual([]);
  const byBob = { user_id: fixture.people.bob.id, timestamp: anyNumber };
  expect(original).toEqual({
    ...byBob,
    topic: 'lunch',
    content: 'content before edit',
    rendered_content: '<p>content before edit</p>',
  });
  expect(content).toEqual({
    ...byBob,
    topic: 'lunch',
    content: 'content after edit',
    rendered_content: '<p>content after edit</p>',
    prev_content: 'content before edit',
    prev_rendered_content: '<p>content before edit</p>',
    content_html_diff:
      '<p>content <span class="highlight_text_inserted">after</span> <span class="highlight_text_deleted">before</span> edit</p>',
  });
  expect(topic).toEqual({
    user_id: fixture.people.fay.id,
    timestamp: anyNumber,
    topic: 'dinner',
    prev_topic: 'lunch',
    content: 'content after edit',
    rendered_content: '<p>content after edit</p>',
  });
  expect(both).toMatchObject({
    ...byBob,
    topic: 'supper',
    prev_topic: 'dinner',
    content: 'both',
    prev_content: 'content after edit',
  });
  const message = await fixture.fetched('fay', id);
  expect(message?.['edit_history']).toMatchObject([
    { prev_subject: 'dinner', prev_content: 'content after edit' },
    { prev_subject: 'lunch', user_id: fixture.people.fay.id },
    { prev_content: 'content before edit' },
  ]);
});

test('an edit to the same text counts, and moves by edits of other messages do not', async () => {
  const id = await fixture.send('bob', 'brunch', 'same');
  const target = await fixture.send('bob', 'brunch', 'x');
  await fixture.edit('bob', id, { content: 'same' });
  await fixture.edit('bob', target, { topic: 'tea', propagate_mode: 'change_all' });
  expect(await fixture.history('bob', id)).toMatchObject([
    { topic: 'brunch', content: 'same' },
    { topic: 'brunch', content: 'same', prev_content: 'same', content_html_diff: '<p>same</p>' },
  ]);
  await fixture.edit('bob', id, { topic: 'high tea' });
  expect((await fixture.history('bob', id)).map((entry) => entry['topic'])).toEqual([
    'brunch',
    'brunch',
    'high tea',
  ]);
  const moved = await fixture.send('bob', 'tea', 'never edited itself');
  await fixture.edit('bob', target, { topic: 'milk', propagate_mode: 'change_later' });
  expect(await fixture.history('bob', moved)).toMatchObject([{ topic: 'milk' }]);
});

test('a very long history has the original and the newest edits', async () => {
  const id = await fixture.send('bob', 'lunch', 'first');
  await fixture.edit('bob', id, { content: 'edit 0' });
  await fixture.all.pool.query({
    text: `INSERT INTO message_edits (message_id, editor_id, edited_at, topic, content, rendered_content, prev_content, prev_rendered_content)
      SELECT message_id, editor_id, edited_at, topic, 'edit ' || n, '<p>' || n || '</p>', 'edit', '<p>edit</p>'
      FROM message_edits, generate_series(1, 120) n WHERE message_id = $1`,
    values: [id],
  });
  const history = await fixture.history('bob', id);
  expect(history).toHaveLength(101);
  expect(history[0]).toMatchObject({ content: 'first' });
  expect(history[1]).toMatchObject({ content: 'edit 21' });
  // Computed by the read if it was not stored with the edit.
  expect(history[100]).toMatchObject({
    content: 'edit 120',
    content_html_diff: expect.stringContaining('highlight_text_inserted') as unknown,
  });
  await fixture.edit('bob', id, { content: 'x'.repeat(10_000) });
  await fixture.edit('bob', id, { content: 'last' });
  const { rows } = await fixture.all.pool.query<{ edits: number }>({
    text: 'SELECT jsonb_array_length(edit_history) AS edits FROM messages WHERE id = $1',
    values: [id],
  });
  expect(rows).toEqual([{ edits: 3 }]);
});

test('history and raw text are for those who may see the message: holders, and readers of shared history', async () => {
  const publicId = await fixture.send('bob', 'lunch', 'public');
  const secretId = await fixture.send('bob', 'lunch', 'secret', 'secret');
  const sharedId = await fixture.send('bob', 'lunch', 'shared', 'shared');
  const { bob, cat } = fixture.people;
  const privateId = await bob.client.sendPrivately([cat.email], 'psst');
  await fixture.leave('dan', 'secret');
  const laterId = await fixture.send('bob', 'lunch', 'later', 'secret');
  await fixture.join('eve', 'secret');
  await fixture.join('eve', 'shared');
  const sees = async (who: Parameters<typeof fixture.raw>[0], id: number): Promise<boolean> => {
    const answer = await fixture.people[who].client.request('GET', `messages/${id}`);
    const history = await fixture.people[who].client.request('GET', `messages/${id}/history`);
    expect(history.status).toBe(answer.status);
    if (answer.status === 200) return true;
    const refusal = { result: 'error', msg: invalidMessage, code: 'BAD_REQUEST' };
    expect([answer.body, history.body]).toEqual([refusal, refusal]);
    return false;
  };
  const seen: [Parameters<typeof sees>[0], readonly number[]][] = [
    ['ann', [publicId, secretId, sharedId, laterId]],
    ['bob', [publicId, secretId, sharedId, privateId, laterId]],
    ['cat', [publicId, privateId]],
    ['guest', []],
    ['bot', [publicId]],
    ['dan', [publicId, secretId, sharedId]],
    ['eve', [publicId, sharedId]],
    ['member guest', [publicId, secretId, sharedId, laterId]],
  ];
  for (const [who, ids] of seen)
    for (const id of [publicId, secretId, sharedId, privateId, laterId, 999_999])
      expect([who, id, await sees(who, id)]).toEqual([who, id, ids.includes(id)]);
});

test('if the organization hides history it is refused before anything else', async () => {
  const id = await fixture.send('bob', 'lunch', 'one');
  await fixture.edit('bob', id, { content: 'two' });
  await fixture.withSettings({ allow_edit_history: false }, async () => {
    for (const path of [`messages/${id}/history`, 'messages/999999/history'])
      await expectRefusal(
        fixture.people.bob.client.get(path),
        'Message edit history is disabled in this organization',
      );
    const message = await fixture.fetched('bob', id);
    expect(message).not.toHaveProperty('edit_history');
    expect(message).toHaveProperty('last_edit_timestamp');
    expect(await fixture.raw('bob', id)).toBe('two');
  });
});

test.each(['GET', 'PATCH', 'DELETE'] as const)(
  '%s has no path without a message',
  async (method) => {
    for (const id of ['abc', '-1', '1.5', '1/', '%00', ''])
      expect((await fixture.people.ann.client.withoutChecks(method, `messages/${id}`)).status).toBe(
        404,
      );
  },
);
