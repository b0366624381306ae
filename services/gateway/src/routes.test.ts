import { endpoints } from '@parley/api/endpoints';
import { fittingPath } from '@parley/test-kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { canonicalPath, findEndpoint, findRoute } from './routes.ts';
import type { Route } from './routes.ts';

describe('findRoute', () => {
  it.each([
    ['/api/v1/messages', '/api/v1/messages'],
    ['/api/v1/messages/flags', '/api/v1/messages/flags'],
    ['/api/v1/users/me', '/api/v1/users/me'],
    ['/api/v1/users/17', '/api/v1/users/{user_id}'],
    // Webhooks are matched as a prefix (reference facts, people 2.6).
    ['/api/v1/external/helloworld', '/api/v1/external/helloworld'],
    ['/api/v1/external/helloworld/', '/api/v1/external/helloworld'],
    ['/api/v1/external/github/a/b', '/api/v1/external/github'],
    // Too long for an id, but the service still has an answer for it.
    [`/api/v1/messages/${'9'.repeat(30)}`, '/api/v1/messages/{message_id}'],
  ])('finds %s', (path, pattern) => {
    expect(findRoute(path)?.route.pattern).toBe(pattern);
  });

  it.each([
    '/api/v1/users/',
    '/api/v1/',
    '/api/v1',
    '/',
    '',
    '/api/v2/users',
    '/api/v1/users/x',
    '/api/v1/users/-1',
    '/api/v1/users%2Fme',
    '/api/v1/external',
    '/api/v1/external/',
    '/api/v1/external/helloworlds',
    '/api/v1/%',
    '/api/v1/__proto__',
    '/API/V1/users',
  ])('finds nothing at %j', (path) => {
    expect(findRoute(path)).toBeUndefined();
  });

  it.each(endpoints)('finds $name, whatever the path contains', (endpoint) => {
    const method = endpoint.method === 'ANY' ? 'POST' : endpoint.method;
    const route = findRoute(fittingPath(endpoint))?.route;
    expect(route && findEndpoint(route, method)).toBe(endpoint);
  });

  it('accepts any path without an exception', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('%', 'a', '2', 'F', 'f', '/', '.', '\u00fc', '\ud800', 'users', 'me'),
        ),
        (parts) => {
          findRoute(canonicalPath(`/api/v1/${parts.join('')}`) ?? '');
        },
      ),
    );
  });
});

describe('canonicalPath', () => {
  it.each([
    ['//api///v1/users', '/api/v1/users'],
    ['/api/v1/users//', '/api/v1/users/'],
    ['/api/v1/us%65rs', '/api/v1/users'],
    ['/api/v1/users%2Fme', '/api/v1/users%2Fme'],
    ['/api/v1/users/a@b.example/%20', '/api/v1/users/a@b.example/%20'],
    ['/api/v1/%', undefined],
    ['/api/v1/%ff', undefined],
  ])('normalizes %s', (path, canonical) => {
    const found = canonicalPath(path);
    expect(found && decodeURIComponent(found)).toBe(canonical && decodeURIComponent(canonical));
    expect(found?.split('/').length).toBe(canonical?.split('/').length);
  });
});

describe('methods', () => {
  const get = (path: string): Route => {
    const route = findRoute(path)?.route;
    if (route === undefined) throw new Error(`no route at ${path}`);
    return route;
  };

  it('other methods are unknown', () => {
    for (const method of ['PATCH', 'TRACE', 'get', '', 'constructor']) {
      expect(findEndpoint(get('/api/v1/users'), method)).toBeUndefined();
    }
  });

  it('a lost request is repeated only if that is harmless', () => {
    expect(findEndpoint(get('/api/v1/messages'), 'GET')?.afterLoss).toBe('read');
    expect(findEndpoint(get('/api/v1/messages'), 'POST')?.afterLoss).toBe('keyed-send');
    expect(findEndpoint(get('/api/v1/messages/flags'), 'POST')?.afterLoss).toBe('repeat');
    expect(findEndpoint(get('/api/v1/users/me/subscriptions'), 'POST')?.afterLoss).toBe('once');
    expect(findEndpoint(get('/api/v1/register'), 'POST')?.afterLoss).toBe('lapses');
  });
});
