import { expect, test } from 'vitest';

import { BadAnswer, checkAnswer } from './answer-checks.ts';

const message = { id: 7, timestamp: 1_600_000_000, flags: ['read'] };
const event = { id: 1, type: 'message', flags: ['read'], message: {} };
const success = { result: 'success', msg: '' };

/** In the form of JSON: without undefined members. */
function check(status: number, body: unknown): void {
  checkAnswer(status, JSON.parse(JSON.stringify(body)));
}

test.each<[string, number, unknown]>([
  ['a success', 200, success],
  ['an error', 400, { result: 'error', msg: 'no', code: 'BAD_REQUEST' }],
  ['fetched messages', 200, { ...success, messages: [message, { ...message, id: 8 }] }],
  ['ids of messages', 200, { ...success, messages: [3, 1] }],
  ['events', 200, { ...success, events: [event, { id: 2, type: 'heartbeat' }] }],
  [
    'custom emoji, whose ids are strings',
    200,
    { ...success, emoji: { 1: { id: '1', source_url: '/x', deactivated: false } } },
  ],
])('%s passes', (_name, status, body) => {
  expect(() => check(status, body)).not.toThrow();
});

test.each<[string, number, unknown]>([
  ['an answer that is not an object', 200, []],
  ['a missing msg', 200, { result: 'success' }],
  ['an unknown result', 200, { result: 'ok', msg: '' }],
  ['a success with a text', 200, { ...success, msg: 'well done' }],
  ['an error with status 200', 200, { result: 'error', msg: 'no' }],
  ['an id that is text', 200, { ...success, streams: [{ stream_id: '5' }] }],
  ['a timestamp with a fraction', 200, { ...success, presence: { web: { timestamp: 1.5 } } }],
  ['messages out of order', 200, { ...success, messages: [message, { ...message, id: 6 }] }],
  ['a repeated flag', 200, { ...success, messages: [{ ...message, flags: ['read', 'read'] }] }],
  ['events out of order', 200, { ...success, events: [event, { id: 1, type: 'heartbeat' }] }],
])('%s is refused', (_name, status, body) => {
  expect(() => check(status, body)).toThrow(BadAnswer);
});
