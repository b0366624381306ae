import { describe, expect, it } from 'vitest';

import { decodeBody } from './request-body.ts';

const multipart = 'multipart/form-data; boundary=b';

function part(head: string, value: string, type = 'text/plain'): string {
  return `--b\r\nContent-Disposition: form-data; ${head}\r\nContent-Type: ${type}\r\n\r\n${value}\r\n`;
}

async function decode(method: string, type: string | undefined, body: string): Promise<object> {
  return Object.fromEntries(await decodeBody(method, type, Buffer.from(body)));
}

describe('a form', () => {
  it.each([
    ['POST', 'application/x-www-form-urlencoded', 'a=1&b=+%C3%BC', { a: '1', b: ' ü' }],
    ['POST', 'text/plain', 'a=1', {}],
    ['POST', 'application/json', '{"a":"b"}', {}],
    ['PATCH', 'application/json', 'a=1', { a: '1' }],
    ['GET', 'application/x-www-form-urlencoded', 'a=1', {}],
    ['POST', multipart, `${part('name="a"', 'é😀\ufeff')}--b--\r\n`, { a: 'é😀\ufeff' }],
    ['POST', multipart, '--b--\r\n', {}],
    ['POST', multipart, '', {}],
    ['POST', 'multipart/mixed; boundary="b"', `${part('name="a"', 'x')}--b--\r\n`, {}],
    ['PATCH', 'multipart/mixed; boundary="b"', `${part('name="a"', 'x')}--b--\r\n`, { a: 'x' }],
  ])('by %s as %s', async (method, type, body, fields) => {
    expect(await decode(method, type, body)).toEqual(fields);
  });

  it('has every part without a file name as a field, whatever its type', async () => {
    const binary = 'application/octet-stream';
    const parts = [
      part('name="content"', 'hi', binary),
      part('name="topic"; filename=""', 'lunch', binary),
      part('name="topic"; filename=".."', 'a file'),
      part('name="file"; filename="name.txt"', 'x'.repeat(100_000)),
    ];
    const fields = await decode('POST', multipart, `${parts.join('')}--b--\r\n`);
    expect(fields).toEqual({ content: 'hi', topic: 'lunch' });
  });

  it.each([
    ['that ends early', multipart, '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc'],
    ['that is not multipart at all', multipart, 'hello'],
    ['without a boundary', 'multipart/form-data', 'x'],
    ['with too many fields', 'application/x-www-form-urlencoded', 'a=1&'.repeat(1001)],
  ])('is refused %s', async (_what, type, body) => {
    await expect(decode('POST', type, body)).rejects.toMatchObject({ status: 400 });
  });
});
