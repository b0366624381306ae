import { expect, test } from 'vitest';

import { decideContentType, headBytes, servingHeaders } from './content-type.ts';

const heads = {
  png: Buffer.from('\x89PNG\r\n\x1A\n\0\0\0\r', 'latin1'),
  jpeg: Buffer.from('\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01', 'latin1'),
  gif: Buffer.from('GIF89a......', 'latin1'),
  webp: Buffer.from('RIFF\x10\0\0\0WEBP', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n%..', 'latin1'),
  wav: Buffer.from('RIFF\x10\0\0\0WAVE', 'latin1'),
  html: Buffer.from('<html><scrip', 'latin1'),
  empty: Buffer.alloc(0),
};

test('files shown in place are recognized by content, whatever name or client say', () => {
  for (const name of ['a.png', 'a.html', 'a', 'a.svg']) {
    for (const said of [undefined, 'text/html', 'image/svg+xml']) {
      expect(decideContentType(heads.png, name, said)).toBe('image/png');
      expect(decideContentType(heads.jpeg, name, said)).toBe('image/jpeg');
      expect(decideContentType(heads.gif, name, said)).toBe('image/gif');
      expect(decideContentType(heads.webp, name, said)).toBe('image/webp');
      expect(decideContentType(heads.pdf, name, said)).toBe('application/pdf');
    }
  }
});

test.each([
  [heads.html, 'a.png', undefined, 'application/octet-stream'],
  [heads.html, 'a', 'image/png', 'application/octet-stream'],
  [heads.wav, 'a.webp', undefined, 'application/octet-stream'],
  [heads.empty, 'a.pdf', undefined, 'application/octet-stream'],
  [heads.html, 'a.html', undefined, 'text/html'],
  [heads.html, 'a.svg', undefined, 'image/svg+xml'],
  [heads.html, 'a.txt', undefined, 'text/plain'],
  [heads.html, 'a.txt', 'text/csv', 'text/csv'],
  [heads.html, 'a', undefined, 'application/octet-stream'],
  [heads.html, 'a.unheard-of', undefined, 'application/octet-stream'],
])('any other file has its declared type, or that of its name: %#', (head, name, said, type) => {
  expect(decideContentType(head, name, said)).toBe(type);
});

test('only types recognized by content are shown in place, and none is executable', () => {
  for (const type of ['application/pdf', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'])
    expect(servingHeaders(type, 'a')['Content-Disposition']).toBeUndefined();
  for (const type of ['text/html', 'image/svg+xml', 'text/xml', 'text/plain', 'image/bmp', 'x/y'])
    expect(servingHeaders(type, 'ä.b')['Content-Disposition']).toBe(
      `attachment; filename="_.b"; filename*=UTF-8''%C3%A4.b`,
    );
  for (const type of ['image/png', 'text/html']) {
    const headers = servingHeaders(type, 'a');
    expect(headers['X-Content-Type-Options']).toBe('nosniff');
    expect(headers['Content-Security-Policy']).toContain("default-src 'none'");
    expect(headers['Content-Security-Policy']).not.toContain('script-src');
  }
});

test('scripts and styles are text', () => {
  for (const name of ['a.js', 'a.mjs', 'a.css'])
    expect([name, servingHeaders(decideContentType(heads.html, name, undefined), name)]).toEqual([
      name,
      expect.objectContaining({
        'Content-Type': 'text/plain',
        'X-Content-Type-Options': 'nosniff',
      }),
    ]);
  for (const type of [
    'application/ecmascript',
    'application/javascript',
    'application/x-javascript',
    'text/javascript1.5',
    'text/jscript',
    'text/livescript',
    'text/x-ecmascript',
  ])
    expect([type, servingHeaders(type, 'a')['Content-Type']]).toEqual([type, 'text/plain']);
  for (const type of ['application/json', 'text/html', 'text/x-java', 'text/x-typescript'])
    expect(servingHeaders(type, 'a')['Content-Type']).toBe(type);
});

test('no signature is longer than the kept beginning of the content', () => {
  expect(Math.max(...Object.values(heads).map(({ length }) => length))).toBe(headBytes);
});
