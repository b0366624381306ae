import { describe, expect, test } from 'vitest';

import { encodeRequest, rootOf } from './encode-request.ts';

const root = 'https://chat.example.com';

describe('the address of a server', () => {
  test.each([
    ['https://chat.example.com', root],
    ['https://chat.example.com/', root],
    ['https://chat.example.com/api', root],
    ['https://chat.example.com/api/v1/', root],
    ['https://chat.example.com/team/?x#y', `${root}/team`],
    ['http://127.0.0.1:9991', 'http://127.0.0.1:9991'],
  ])('%s is %s', (given, expected) => {
    expect(rootOf(given)).toBe(expected);
  });

  test('an invalid address is refused', () => {
    expect(() => rootOf('chat')).toThrow(TypeError);
  });
});

describe('requests', () => {
  test('of GET have their parameters in the query: strings unchanged, others as JSON, undefined omitted', () => {
    expect(
      encodeRequest(root, 'GET /messages', {
        anchor: 'newest',
        num_before: 5,
        narrow: [['stream', 'a & b']],
        apply_markdown: false,
        client_gravatar: undefined,
      }),
    ).toEqual({
      url: `${root}/api/v1/messages?anchor=newest&num_before=5&narrow=%5B%5B%22stream%22%2C%22a+%26+b%22%5D%5D&apply_markdown=false`,
      method: 'GET',
      body: undefined,
      contentType: undefined,
    });
  });

  test('of other methods have a form', () => {
    const { url, body } = encodeRequest(root, 'DELETE /users/me/subscriptions', {
      subscriptions: ['a', 'b'],
    });
    expect(url).toBe(`${root}/api/v1/users/me/subscriptions`);
    expect(body).toEqual(new URLSearchParams({ subscriptions: '["a","b"]' }));
  });

  test('have path parameters only in the path', () => {
    const { url, body } = encodeRequest(root, 'PATCH /messages/{message_id}', {
      message_id: 7,
      content: 'x',
    });
    expect(url).toBe(`${root}/api/v1/messages/7`);
    expect(body).toEqual(new URLSearchParams({ content: 'x' }));
    const presence = encodeRequest(root, 'GET /users/{email}/presence', { email: 'a/b?@c.d' });
    expect(presence.url).toBe(`${root}/api/v1/users/a%2Fb%3F@c.d/presence`);
  });

  test('without a path parameter are not sent', () => {
    expect(() => encodeRequest(root, 'GET /messages/{message_id}', {})).toThrow(
      'GET /messages/{message_id} needs the parameter message_id',
    );
  });

  test('of files keep the slashes of their path, and are not below /api/v1', () => {
    const { url } = encodeRequest(root, 'GET /user_uploads/{realm_id}/{path}', {
      realm_id: 1,
      path: 'ab/c d.txt',
    });
    expect(url).toBe(`${root}/user_uploads/1/ab/c%20d.txt`);
  });

  test('with a file are a multipart form, with other parameters in the query', () => {
    const file = new File(['x'], 'x.txt');
    const { url, body } = encodeRequest(root, 'POST /user_uploads', {
      file,
      mimetype: 'text/plain',
    });
    expect(url).toBe(`${root}/api/v1/user_uploads?mimetype=text%2Fplain`);
    expect(body instanceof FormData && [...body.keys()]).toEqual(['file']);
  });

  test('of webhooks have a JSON body', () => {
    expect(
      encodeRequest(root, 'POST /external/github', { body: { a: [1] }, stream: 's' }),
    ).toMatchObject({
      url: `${root}/api/v1/external/github?stream=s`,
      body: '{"a":[1]}',
      contentType: 'application/json',
    });
  });
});
