import { expect, test } from 'vitest';

import { readFormFiles } from '../src/form-files.ts';

const boundary = 'seam';
const type = `multipart/form-data; boundary=${boundary}`;

function part(disposition: string, content: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
}

function body(...parts: string[]): Buffer {
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`, 'latin1');
}

test('every part with a file name is a file, in order and byte for byte', async () => {
  const bytes = '\x00\xff\r\n--sea\x80';
  const files = await readFormFiles(
    type,
    body(
      part('name="a"', 'a field'),
      part('name="b"; filename="b.png"', bytes),
      part('name="c"; filename=""', 'an input that was left empty'),
      part('name="b"; filename="c.png"', ''),
    ),
  );
  expect(files).toEqual([
    { name: 'b.png', content: Buffer.from(bytes, 'latin1') },
    { name: 'c.png', content: Buffer.alloc(0) },
  ]);
});

test.each([
  ['no body type', undefined],
  ['a form that has no files', 'application/x-www-form-urlencoded'],
  ['no boundary', 'multipart/form-data'],
])('%s has no files', async (_what, contentType) => {
  expect(await readFormFiles(contentType, body(part('name="a"; filename="a"', 'x')))).toEqual([]);
});

test('a form without parts has no files', async () => {
  expect(await readFormFiles(type, body())).toEqual([]);
});

test('a truncated body is refused', async () => {
  const whole = body(part('name="a"; filename="a"', 'x'.repeat(100)));
  await expect(readFormFiles(type, whole.subarray(0, 120))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: 'Malformed multipart body',
  });
});
