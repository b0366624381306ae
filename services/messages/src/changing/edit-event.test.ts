import type { EditRecord, MessageFacts } from '@parley/store';
import { expect, test } from 'vitest';

import { editEvent, editHistoryAfter } from './edit-event.ts';
import type { EditDone } from './edit-event.ts';

const before: MessageFacts = {
  id: 7,
  senderId: 1,
  streamId: 3,
  conversationId: 4,
  topic: 'lunch',
  content: 'hi',
  renderedContent: '<p>hi</p>',
  sentAtSecs: 100,
  mayChange: true,
};
const done: EditDone = {
  before,
  stream: { id: 3, name: 'Denmark', sharesHistory: true },
  editor: { id: 1, email: 'bob@example.com' },
  editedAtSecs: 200,
};
const content = { content: 'x', renderedContent: '<p>x</p>', isMeMessage: false };
const topic = {
  topic: 'dinner',
  subjectLinks: [],
  propagateMode: 'change_all',
  movedIds: [3, 9],
} as const;

test('an event for a text has no topic keys, and one for a topic no text keys', () => {
  const ofText = editEvent({ ...done, content });
  for (const key of ['subject', 'orig_subject', 'subject_links', 'propagate_mode'])
    expect(ofText).not.toHaveProperty(key);
  const ofTopic = editEvent({ ...done, topic });
  for (const key of ['content', 'orig_content', 'rendered_content', 'is_me_message'])
    expect(ofTopic).not.toHaveProperty(key);
  expect(ofTopic).toMatchObject({ message_id: 7, message_ids: [7, 3, 9], subject: 'dinner' });
});

test('the newest edit is first, with its changes only', () => {
  const earlier: EditRecord = { user_id: 2, timestamp: 150, prev_subject: 'brunch' };
  expect(editHistoryAfter([earlier], { ...done, content })).toEqual([
    {
      user_id: 1,
      timestamp: 200,
      prev_content: 'hi',
      prev_rendered_content: '<p>hi</p>',
      prev_rendered_content_version: 1,
    },
    earlier,
  ]);
  expect(editHistoryAfter([], { ...done, topic })).toEqual([
    { user_id: 1, timestamp: 200, prev_subject: 'lunch' },
  ]);
});

test('a message lists a limited number of edits, and always the newest', () => {
  const past = (length: number, more: Partial<EditRecord>): EditRecord[] =>
    Array.from({ length }, () => ({ user_id: 2, timestamp: 150, ...more }));
  const edited = { ...done, topic };
  expect(editHistoryAfter(past(500, { prev_subject: 'brunch' }), edited)).toHaveLength(100);
  const large = past(9, { prev_content: 'x'.repeat(300_000) });
  expect(editHistoryAfter(large, edited)).toHaveLength(4);
});
