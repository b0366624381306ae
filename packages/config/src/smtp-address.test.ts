import { expect, test } from 'vitest';

import { parseMailSender } from './mail-sender.ts';
import { parseSmtpAddress } from './smtp-address.ts';

test('the scheme says whether and how TLS is used', () => {
  expect(parseSmtpAddress('smtps://mail.example')).toEqual({
    host: 'mail.example',
    port: 465,
    tls: 'from-start',
    login: undefined,
  });
  expect(parseSmtpAddress('smtp://ann:p%40ss@mail.example:2525/')).toEqual({
    host: 'mail.example',
    port: 2525,
    tls: 'required',
    login: { user: 'ann', password: 'p@ss' },
  });
  expect(parseSmtpAddress('smtp+plain://[::1]')).toMatchObject({ host: '::1', tls: 'none' });
});

test('a password goes nowhere without TLS, except on the same machine', () => {
  expect(() => parseSmtpAddress('smtp+plain://ann:secret@mail.example')).toThrow('without TLS');
  expect(() => parseSmtpAddress('smtp+plain://ann:secret@127.0.0.1.example')).toThrow(
    'without TLS',
  );
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    expect(parseSmtpAddress(`smtp+plain://ann:secret@${host}`).login?.user).toBe('ann');
});

test.each([
  'mail.example:25',
  'http://mail.example',
  'smtp://',
  'smtp://mail.example/path',
  'smtp://mail.example?tls=off',
  'smtp://secret@mail.example',
  'smtp://:secret@mail.example',
  'smtp://a:%zzsecret@mail.example',
])('a text that is no such address is refused without being repeated: %s', (text) => {
  const parse = (): unknown => parseSmtpAddress(text);
  expect(parse).toThrow(/^must /);
  expect(parse).not.toThrow(/secret|mail\.example/);
});

test('a sender is an address with or without a name', () => {
  expect(parseMailSender('chat@example.com')).toEqual({ name: '', address: 'chat@example.com' });
  expect(parseMailSender('"Parley at Ex" <chat@example.com>')).toEqual({
    name: 'Parley at Ex',
    address: 'chat@example.com',
  });
  for (const text of ['', 'Parley', 'a@b, c@d', 'A <a@b', 'A\nBcc: x@y <a@b>', 'a@b\r\nBcc: x@y'])
    expect(() => parseMailSender(text)).toThrow('must be an address');
});
