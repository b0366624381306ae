import { describe, expect, test } from 'vitest';

import { BadAnswer } from './answer-checks.ts';
import { answerDocument, namedMethodIn } from './answer-document.ts';
import type { SeenAnswer } from './answer-document.ts';

const json = { 'content-type': 'application/json' };
const success = { result: 'success', msg: '' };
const refusal = { result: 'error', msg: 'no', code: 'BAD_REQUEST' };
const plain = { result: 'error', msg: 'no' };

const group = { id: 4, name: 'ops', description: '', members: [11, 12] };
const { description: _description, ...shorterGroup } = group;

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
const { stream_id: _streamId, ...withoutStream } = message;
const ann = { id: 3, email: 'ann@example.com', full_name: 'Ann', short_name: 'ann' };
const privateMessage = {
  ...withoutStream,
  type: 'private',
  subject: '',
  display_recipient: [{ ...ann, is_mirror_dummy: false }],
};
const event = { id: 1, type: 'message', flags: ['read'], message };
const muted = {
  id: 2,
  type: 'subscription',
  op: 'update',
  property: 'in_home_view',
  value: false,
  email: ann.email,
  stream_id: 5,
  name: 'stream name',
};

function check(
  request: string,
  status: number,
  body: unknown,
  more: Partial<Pick<SeenAnswer, 'headers' | 'namedMethod'>> = {},
): void {
  const [method = '', path = ''] = request.split(' ');
  answerDocument().check({
    method,
    path: path.startsWith('/') ? path : `/api/v1/${path}`,
    status,
    headers: json,
    text: body === undefined ? '' : JSON.stringify(body),
    ...more,
  });
}

function groups(...listed: readonly unknown[]): unknown {
  return { ...success, user_groups: listed };
}

function events(...listed: readonly unknown[]): unknown {
  return { ...success, queue_id: 'q', events: listed };
}

function fetched(one: object): unknown {
  const flags = { found_anchor: true, found_oldest: true, found_newest: true };
  return { ...success, anchor: 1, ...flags, history_limited: false, messages: [one] };
}

const basic = { headers: { ...json, 'www-authenticate': 'Basic realm="zulip"' } };

describe('documented answers pass', () => {
  test.each<[string, () => void]>([
    ['a success', () => check('GET user_groups?x=1', 200, groups(group))],
    ['a refusal with a code', () => check('GET user_groups', 400, refusal)],
    ['a refusal without one', () => check('GET user_groups', 400, plain)],
    ['wrong credentials', () => check('GET user_groups', 401, plain, basic)],
    ['HEAD', () => check('HEAD user_groups', 200, undefined)],
    [
      'OPTIONS',
      () => check('OPTIONS user_groups', 204, undefined, { headers: { allow: 'GET, HEAD' } }),
    ],
    ['an unknown path', () => check('GET nowhere', 404, plain)],
    ['a text where an id belongs', () => check('GET messages/abc/history', 404, plain)],
    [
      'another method',
      () =>
        check(
          'PUT user_groups',
          405,
          { ...plain, allowed_methods: ['GET', 'HEAD'] },
          { headers: { ...json, allow: 'GET, HEAD' } },
        ),
    ],
    [
      'a method named in a form',
      () =>
        check(
          'POST users/me/subscriptions',
          200,
          { ...success, removed: ['a'], not_subscribed: [], not_removed: [] },
          { namedMethod: 'DELETE' },
        ),
    ],
    ['a webhook by any method below its path', () => check('PUT external/github/x', 200, success)],
    [
      'a file of any type',
      () =>
        check('GET /user_uploads/1/a/b.png', 200, undefined, {
          headers: { 'content-type': 'image/png', etag: '"x"' },
        }),
    ],
    ['a fetched message', () => check('GET messages', 200, fetched({ ...message, flags: [] }))],
    ['events', () => check('GET events', 200, events(event, muted, { id: 3, type: 'heartbeat' }))],
    ['a private message', () => answerDocument().checkEvent({ ...event, message: privateMessage })],
    [
      'a message of a stream',
      () =>
        answerDocument().checkStreamed('/api/v1/events/stream', { data: JSON.stringify(muted) }),
    ],
    [
      'a refusal within a stream',
      () =>
        answerDocument().checkStreamed('/api/v1/events/stream', {
          event: 'error',
          data: JSON.stringify({ ...plain, code: 'BAD_EVENT_QUEUE_ID', queue_id: 'q' }),
        }),
    ],
  ])('%s', (_name, pass) => {
    expect(pass).not.toThrow();
  });
});

describe('undocumented answers are refused', () => {
  test.each<[string, string, () => void]>([
    ['a missing key', 'description', () => check('GET user_groups', 200, groups(shorterGroup))],
    ['a key too many', '"x"', () => check('GET user_groups', 200, groups({ ...group, x: 1 }))],
    [
      'a wrong type',
      '/user_groups/1/id must be integer {"type":"integer"}: "4"',
      () => check('GET user_groups', 200, groups(group, { ...group, id: '4' })),
    ],
    ['an undeclared status', 'status 418', () => check('GET user_groups', 418, plain)],
    ['a fault of the server', 'failed', () => check('GET user_groups', 500, plain)],
    [
      'an undeclared code',
      'code BAD_NARROW is not declared',
      () => check('GET user_groups', 400, { ...plain, code: 'BAD_NARROW', desc: 'x' }),
    ],
    [
      'a refusal with an additional key',
      '"var_name"',
      () => check('GET user_groups', 400, { ...refusal, var_name: 'x' }),
    ],
    [
      'a refusal with a missing key',
      'queue_id',
      () => check('GET events', 400, { ...plain, code: 'BAD_EVENT_QUEUE_ID' }),
    ],
    ['a success with a text', '/msg', () => check('POST typing', 200, { ...success, msg: 'x' })],
    [
      'another type of content',
      'text/html',
      () => check('GET user_groups', 200, groups(), { headers: { 'content-type': 'text/html' } }),
    ],
    [
      'a missing header',
      'Allow is missing',
      () => check('PUT user_groups', 405, { ...plain, allowed_methods: [] }),
    ],
    ['an answer of an unknown path', 'status 200', () => check('GET nowhere', 200, success)],
    [
      'a fetched message without flags',
      'flags',
      () => check('GET messages', 200, fetched(message)),
    ],
    [
      'a message of an event with flags',
      '"flags"',
      () => check('GET events', 200, events({ ...event, message: { ...message, flags: [] } })),
    ],
    [
      'a private message with a stream',
      '"stream_id"',
      () => answerDocument().checkEvent({ ...event, message: { ...privateMessage, stream_id: 5 } }),
    ],
    [
      'an unknown flag',
      '/flags/0',
      () => answerDocument().checkEvent({ ...event, flags: ['seen'] }),
    ],
    ['an unknown event', 'tag "type"', () => answerDocument().checkEvent({ id: 1, type: 'news' })],
    ['an unknown op', 'tag "op"', () => answerDocument().checkEvent({ ...muted, op: 'mute' })],
    [
      'a value that does not fit its property',
      '/value must be boolean',
      () => answerDocument().checkEvent({ ...muted, value: 'no' }),
    ],
    [
      'a wrong message of a stream',
      'flags',
      () =>
        answerDocument().checkStreamed('/api/v1/events/stream', {
          data: '{"id":1,"type":"message"}',
        }),
    ],
  ])('%s', (_name, words, fail) => {
    expect(fail).toThrow(BadAnswer);
    expect(fail).toThrow(words);
  });
});

test('the form of a POST may name its method, urlencoded or multipart', () => {
  expect(namedMethodIn('a=1&method=DELETE&b=2')).toBe('DELETE');
  expect(namedMethodIn('--x\r\nname="method"\r\n\r\nPATCH\r\n--x')).toBe('PATCH');
  expect(namedMethodIn('the_method=DELETE')).toBeUndefined();
});

test('files of the web client are no part of the document, and answers of endpoints are whatever their headers', () => {
  const headers = { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' };
  check('GET /', 200, undefined, { headers });
  check('GET /assets/index-abcdefgh.js', 304, undefined, { headers });
  expect(() => check('GET /', 200, undefined)).toThrow(BadAnswer);
  expect(() => check('GET users/me', 200, undefined, { headers })).toThrow(BadAnswer);
});
