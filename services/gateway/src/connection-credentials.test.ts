import type { Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { parseAuthorization } from './authenticate.ts';
import { readAuthorization } from './connection-credentials.ts';

const headerOf = (email: string): string =>
  `Basic ${Buffer.from(`${email}:${'k'.repeat(32)}`).toString('base64')}`;

describe('the credentials of a connection', () => {
  it('are parsed again when the header changes', () => {
    const socket = {} as Socket;
    const read = (authorization: string | undefined): unknown =>
      readAuthorization({ headers: { authorization }, socket });
    const [first, second] = [headerOf('a@example.com'), headerOf('b@example.com')];
    for (const header of [first, first, second, first, `${second} `])
      expect(read(header)).toEqual(parseAuthorization(header));
    expect(read(first)).toBe(read(first));
    for (const header of [undefined, '', 'Bearer x', 'Basic x'])
      expect(() => read(header)).toThrow();
    expect(read(first)).toEqual(parseAuthorization(first));
  });

  it('are not shared with another connection', () => {
    const header = headerOf('a@example.com');
    readAuthorization({ headers: { authorization: header }, socket: {} as Socket });
    expect(() => readAuthorization({ headers: {}, socket: {} as Socket })).toThrow();
  });
});
