import { describe, expect, it } from 'vitest';

import type { AdmittedRequest } from './admit.ts';
import { decodeRequest, findField } from './decode-request.ts';
import type { DecodedRequest } from './decode-request.ts';
import { Query } from './query.ts';
import { findRoute } from './routes.ts';

const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=b';

function part(head: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
}

function decode(
  method: string,
  path: string,
  [contentType, body, query = '']: readonly (string | undefined)[],
): Promise<DecodedRequest> {
  const match = findRoute(`/api/v1/${path}`);
  if (match === undefined) throw new Error(`no route at ${path}`);
  const admitted = { route: match.route, pathTexts: match.path, query: new Query(query) };
  return decodeRequest(admitted as AdmittedRequest, {
    method,
    contentType,
    body: Buffer.from(body ?? ''),
  });
}

describe('a field', () => {
  it.each([
    ['of a form', urlencoded, 'password=x&username=rina%40example.com'],
    ['that is the last of several', urlencoded, 'username=a%40b.c&username=rina%40example.com'],
    ['of the query', urlencoded, 'password=x', 'username=rina%40example.com'],
    ['beside a body of another type', 'text/plain', 'username=a', 'username=rina@example.com'],
    ['in both, from the body', urlencoded, 'username=rina%40example.com', 'username=a%40b.c'],
    ['with an escaped name', urlencoded, 'us%65rname=rina%40example.com'],
    ['in another charset', `${urlencoded}; charset=latin1`, 'username=rina%40example.com'],
    ['of a multipart form', multipart, `${part('name="username"', 'rina@example.com')}--b--`],
    ['without quotes', multipart, `${part('name=username', 'rina@example.com')}--b--`],
    [
      'that is the last of several parts, and no file',
      multipart,
      `${part('name="username"', 'a@b.c')}${part('name="username"', 'rina@example.com')}${part('name="username"; filename="f"', 'z@b.c')}--b--`,
    ],
    [
      'and not what another one mentions',
      multipart,
      `${part('name="username"', 'rina@example.com')}${part('name="password"', 'name="username"\r\n\r\nz@b.c')}--b--`,
    ],
  ] as const)('is decoded: %s', async (_case, type, body, query?: string) => {
    const decoded = await decode('POST', 'fetch_api_key', [type, body, query]);
    expect(findField(decoded, 'username')).toBe('rina@example.com');
    expect(new Map(JSON.parse(decoded.body.toString() || '[]') as [])).toEqual(decoded.form);
  });

  it.each([
    ['PATCH', 'text/plain', 'new_p%61ssword=y'],
    ['PATCH', multipart, `${part('name="new_password"', 'y')}--b--`],
    ['POST', urlencoded, 'method=PATCH&new_password=y'],
    ['POST', urlencoded, 'method=PATCH', 'new_password=y'],
  ])('of a change: %s %s', async (method, ...given) => {
    const decoded = await decode(method, 'settings', given);
    expect(decoded.endpoint.method).toBe('PATCH');
    expect(findField(decoded, 'new_password')).toBe('y');
  });
});

it.each([
  ['a malformed form', 'POST', 'fetch_api_key', multipart, 'nothing', '', 400],
  ['too many fields', 'POST', 'fetch_api_key', urlencoded, 'a&'.repeat(100_000), '', 400],
  ['too many fields in the query', 'GET', 'users', undefined, '', 'a&'.repeat(100_000), 400],
  ['a method that the path does not have', 'POST', 'events', urlencoded, 'method=PUT', '', 405],
])('%s is refused', async (_what, method, path, type, body, query, status) => {
  await expect(decode(method, path, [type, body, query])).rejects.toMatchObject({ status });
});

it('JSON is no form, whatever its type', async () => {
  const text = '{"a":"&stream=b"}';
  const decoded = await decode('POST', 'external/helloworld', [urlencoded, text]);
  expect([decoded.form.size, decoded.body.toString()]).toEqual([0, text]);
});

it('a form with a file is passed on as it came', async () => {
  const body = `${part('name="file"; filename="f"', 'bytes')}--b--`;
  const decoded = await decode('POST', 'users/me/avatar', [multipart, body]);
  expect(decoded.body.toString()).toBe(body);
});
