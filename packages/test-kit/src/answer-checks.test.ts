import { expect, test } from 'vitest';

import { BadAnswer, checkAnswer } from './answer-checks.ts';

const message = {
  id: 7,
  sender_id: 3,
  recipient_id: 9,
  type: 'stream',
  content: 'hello',
  content_type: 'text/x-markdown',
  timestamp: 1_600_000_000,
  client: 'test',
  subject: 'topic',
  subject_links: [],
  is_me_message: false,
  reactions: [],
  submessages: [],
  sender_full_name: 'Ann',
  sender_short_name: 'ann',
  sender_email: 'ann@example.com',
  sender_realm_str: '',
  avatar_url: null,
  display_recipient: 'stream name',
  stream_id: 5,
};
const fetched = { ...message, flags: ['read'] };
const privateMessage = {
  ...message,
  type: 'private',
  subject: '',
  stream_id: undefined,
  display_recipient: [
    {
      id: 3,
      email: 'ann@example.com',
      full_name: 'Ann',
      short_name: 'ann',
      is_mirror_dummy: false,
    },
  ],
};
const event = { id: 1, type: 'message', flags: [], message };
const success = { result: 'success', msg: '' };

/** As JSON has it: without members that are undefined. */
function check(status: number, body: unknown): void {
  checkAnswer(status, JSON.parse(JSON.stringify(body)));
}

test.each<[string, number, unknown]>([
  ['a success', 200, success],
  ['an error', 400, { result: 'error', msg: 'no', code: 'BAD_REQUEST' }],
  ['fetched messages', 200, { ...success, messages: [fetched, { ...fetched, id: 8 }] }],
  ['ids of messages', 200, { ...success, messages: [3, 1] }],
  ['events', 200, { ...success, events: [event, { id: 2, type: 'heartbeat' }] }],
  ['private messages', 200, { ...success, events: [{ ...event, message: privateMessage }] }],
  [
    'an edited message',
    200,
    { ...success, messages: [{ ...fetched, edit_history: [], last_edit_timestamp: 1 }] },
  ],
  [
    'custom emoji, whose ids are strings',
    200,
    { ...success, emoji: { 1: { id: '1', source_url: '/x', deactivated: false } } },
  ],
])('%s passes', (_name, status, body) => {
  expect(() => check(status, body)).not.toThrow();
});

test.each<[string, number, unknown]>([
  ['what is no object', 200, []],
  ['a missing msg', 200, { result: 'success' }],
  ['an unknown result', 200, { result: 'ok', msg: '' }],
  ['a success with a text', 200, { ...success, msg: 'well done' }],
  ['an error with status 200', 200, { result: 'error', msg: 'no' }],
  ['an id that is text', 200, { ...success, streams: [{ stream_id: '5' }] }],
  ['a timestamp with a fraction', 200, { ...success, presence: { web: { timestamp: 1.5 } } }],
  ['a fetched message without flags', 200, { ...success, messages: [message] }],
  [
    'a fetched message with a field too many',
    200,
    { ...success, messages: [{ ...fetched, x: 1 }] },
  ],
  ['messages out of order', 200, { ...success, messages: [fetched, { ...fetched, id: 6 }] }],
  ['an event message with flags', 200, { ...success, events: [{ ...event, message: fetched }] }],
  ['an event without flags', 200, { ...success, events: [{ ...event, flags: undefined }] }],
  [
    'a private message with a stream',
    200,
    { ...success, events: [{ ...event, message: { ...privateMessage, stream_id: 5 } }] },
  ],
  [
    'a null in the history of edits',
    200,
    { ...success, messages: [{ ...fetched, edit_history: null }] },
  ],
  ['an unknown flag', 200, { ...success, messages: [{ ...fetched, flags: ['seen'] }] }],
  ['events out of order', 200, { ...success, events: [event, { id: 1, type: 'heartbeat' }] }],
])('%s is refused', (_name, status, body) => {
  expect(() => check(status, body)).toThrow(BadAnswer);
});
