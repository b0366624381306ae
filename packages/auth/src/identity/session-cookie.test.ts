import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  clearSessionCookie,
  sessionCookieOf,
  sessionCookieValues,
  setSessionCookie,
} from './session-cookie.ts';

const secure = sessionCookieOf('https://chat.example');
const plain = sessionCookieOf('http://127.0.0.1:9991');

describe('the cookie of a session', () => {
  it('is bound to its host by TLS, and has the port in its name without', () => {
    expect(secure.name).toBe('__Host-parley-session');
    expect(plain.name).toBe('parley-session-9991');
    expect(sessionCookieOf('http://chat.example').name).toBe('parley-session-80');
  });

  it('is out of reach for scripts and other sites', () => {
    expect(setSessionCookie(secure, 'abc')).toBe(
      '__Host-parley-session=abc; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
    expect(setSessionCookie(plain, 'abc')).toBe(
      'parley-session-9991=abc; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax',
    );
    expect(clearSessionCookie(secure)).toBe(
      '__Host-parley-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
  });
});

describe('the cookie in a request', () => {
  it.each([
    ['', []],
    ['other=1', []],
    ['parley-session-9991=abc', ['abc']],
    ['a=b; parley-session-9991=abc;c=d', ['abc']],
    ['a=b;parley-session-9991=abc; parley-session-9991=def', ['abc', 'def']],
    ['parley-session-9991=', ['']],
    ['parley-session-9991=a=b', ['a=b']],
    ['xparley-session-9991=abc', []],
    ['parley-session-99911=abc; parley-session-999=def', []],
    ['Parley-Session-9991=abc', []],
    ['a="; parley-session-9991=abc"', ['abc"']],
    ['parley-session-9991 =abc', []],
  ])('of %j', (header, values) => {
    expect(sessionCookieValues(plain, header)).toEqual(values);
  });

  it('is found among any others', () => {
    const others = fc.array(fc.stringMatching(/^[a-z]{1,8}=[\w-]{0,20}$/), { maxLength: 50 });
    fc.assert(
      fc.property(others, others, (before, after) => {
        const header = [...before, `${plain.name}=token`, ...after].join('; ');
        expect(sessionCookieValues(plain, header)).toEqual(['token']);
      }),
    );
  });
});
