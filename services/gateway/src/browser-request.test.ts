import { describe, expect, it } from 'vitest';

import { browserRequests, isFromOwnPage } from './browser-request.ts';

const own = 'https://chat.example';

describe('isFromOwnPage', () => {
  it.each([
    ['a page of the server', { 'sec-fetch-site': 'same-origin' }],
    ['a page that states its origin', { 'sec-fetch-site': 'same-origin', origin: own }],
    ['a browser that states only the origin', { origin: own }],
    ['an address', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:9991' }],
    ['an address of IPv6', { 'sec-fetch-site': 'same-origin', origin: 'http://[::1]:9991' }],
    ['localhost', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' }],
  ])('accepts %s', (_what, headers) => {
    expect(isFromOwnPage(headers, own)).toBe(true);
  });

  it.each([
    ['nothing', {}],
    ['a page elsewhere', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a picture in a page elsewhere', { 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { 'sec-fetch-site': 'same-site', origin: 'https://evil.chat.example' }],
    ['another port', { 'sec-fetch-site': 'same-site', origin: 'https://chat.example:8443' }],
    ['another port without the site', { origin: 'https://chat.example:8443' }],
    ['the same host without TLS', { origin: 'http://chat.example' }],
    ['an address that was typed, or a link elsewhere', { 'sec-fetch-site': 'none' }],
    ['an opaque origin', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['a name that was rebound', { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' }],
    ['an address without the word of the browser', { origin: 'http://127.0.0.1:9991' }],
    [
      'a name like an address',
      { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1.evil.example' },
    ],
    ['a name like localhost', { 'sec-fetch-site': 'same-origin', origin: 'http://evil.localhost' }],
    ['what contradicts itself', { 'sec-fetch-site': 'cross-site', origin: own }],
    ['an unknown site', { 'sec-fetch-site': 'SAME-ORIGIN' }],
    ['an empty origin', { 'sec-fetch-site': 'same-origin', origin: '' }],
    ['two origins', { origin: `${own}, https://evil.example` }],
    ['an origin with a path', { origin: `${own}/` }],
    ['a longer name', { origin: `${own}.evil.example` }],
    ['two sites', { 'sec-fetch-site': 'same-origin, cross-site' }],
  ])('refuses %s', (_what, headers) => {
    expect(isFromOwnPage(headers, own)).toBe(false);
  });
});

describe('the session of a request', () => {
  const read = browserRequests(own);
  const token = 'abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE';
  const cookie = `__Host-parley-session=${token}`;

  it.each([
    ['the cookie', { cookie }, token],
    ['the cookie among others', { cookie: `a=b; ${cookie}; c=d` }, token],
    ['the same cookie twice', { cookie: `${cookie}; ${cookie}` }, token],
    ['two different cookies', { cookie: `${cookie}; ${cookie.replace('abc', 'xyz')}` }, undefined],
    ['a cookie beside an empty one', { cookie: `${cookie}; __Host-parley-session=` }, undefined],
    ['a short token', { cookie: cookie.slice(0, -1) }, undefined],
    ['a long token', { cookie: `${cookie}x` }, undefined],
    ['other characters', { cookie: cookie.replace('abc', 'a%c') }, undefined],
    ['a quoted token', { cookie: `__Host-parley-session="${token}"` }, undefined],
  ])('by %s', (_what, headers, found) => {
    expect(read(headers)).toEqual({
      hasSession: true,
      sessionToken: found,
      isFromOwnPage: false,
    });
  });

  it.each([
    ['no cookie', {}],
    ['the cookie of plain HTTP', { cookie: `parley-session-443=${token}` }],
    ['an Authorization header', { cookie, authorization: 'Basic nonsense' }],
    ['an empty Authorization header', { cookie, authorization: '' }],
    ['a name in other letters', { cookie: cookie.replace('__Host', '__host') }],
  ])('does not exist with %s', (_what, headers) => {
    expect(read(headers)).toMatchObject({ hasSession: false, sessionToken: undefined });
  });
});
