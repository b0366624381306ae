import { ApiError } from '@parley/api';
import { describe, expect, it } from 'vitest';

import { requiresOwnPassword, findAccountName } from './password-login.ts';

const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=b';

function part(head: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
}

describe('requiresOwnPassword', () => {
  it.each([
    ['PATCH', urlencoded, 'old_password=x&new_password=y', ''],
    ['PATCH', 'text/plain', 'old_password=x&new_p%61ssword=y', ''],
    ['PATCH', multipart, `${part('name="new_password"', 'y')}--b--`, ''],
    ['POST', urlencoded, 'method=PATCH&old_password=x&new_password=y', ''],
    ['POST', urlencoded, 'method=PATCH', '?old_password=x&new_password=y'],
    ['PATCH', undefined, '', '?old_password=x&new_password=y'],
  ])('is true for %s %s', async (method, type, body, query) => {
    expect(await requiresOwnPassword(method, type, Buffer.from(body), query)).toBe(true);
  });

  it('is false without a new password', async () => {
    const body = Buffer.from('full_name=Rina&old_password=x&new_password=');
    expect(await requiresOwnPassword('PATCH', urlencoded, body, '?new_password=y')).toBe(false);
  });
});

describe('findAccountName', () => {
  it.each([
    ['a form', urlencoded, 'password=x&username=rina%40example.com', ''],
    ['letter case and white space', urlencoded, 'username=+RINA%40Example.com%20&password=', ''],
    ['the last of several', urlencoded, 'username=a%40b.c&username=rina%40example.com', ''],
    ['the query', urlencoded, 'password=x', '?username=rina%40example.com'],
    [
      'the query with a body of another type',
      'text/plain',
      'username=a%40b.c',
      '?username=rina@example.com',
    ],
    ['the body before the query', urlencoded, 'username=rina%40example.com', '?username=a%40b.c'],
    ['an escaped field name', urlencoded, 'us%65rname=rina%40example.com', ''],
    ['a charset', `${urlencoded}; charset=latin1`, 'username=rina%40example.com', ''],
    ['a multipart form', multipart, `${part('name="username"', 'rina@example.com')}--b--`, ''],
    ['no quotes', multipart, `${part('name=username', 'rina@example.com')}--b--`, ''],
    [
      'the last of several parts, and no file',
      multipart,
      `${part('name="username"', 'a@b.c')}${part('name="username"', 'rina@example.com')}${part('name="username"; filename="f"', 'z@b.c')}--b--`,
      '',
    ],
  ])('is the name that the service will see: %s', async (_case, type, body, query) => {
    const found = await findAccountName(type, Buffer.from(body), query);
    expect(found).toBe('RINA@EXAMPLE.COM');
  });

  it('is undefined without a name', async () => {
    expect(await findAccountName(undefined, Buffer.alloc(0), '')).toBeUndefined();
    expect(await findAccountName(urlencoded, Buffer.from('password=x'), '?a=b')).toBeUndefined();
  });

  it('refuses a form that the service refuses', async () => {
    const refused = findAccountName(multipart, Buffer.from('nothing'), '');
    await expect(refused).rejects.toBeInstanceOf(ApiError);
  });
});
