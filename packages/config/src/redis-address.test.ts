import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseRedisAddress } from './redis-address.ts';

const open = { user: undefined, password: undefined, tls: false, servername: undefined };

describe('parseRedisAddress', () => {
  it('reads one server', () => {
    expect(parseRedisAddress('redis://redis')).toEqual({
      ...open,
      kind: 'single',
      server: { host: 'redis', port: 6379 },
      db: 0,
      family: undefined,
    });
    expect(
      parseRedisAddress('rediss://ann:p%40ss%2Fword@[fd00::7]:6380/3?servername=redis.example'),
    ).toEqual({
      kind: 'single',
      user: 'ann',
      password: 'p@ss/word',
      tls: true,
      servername: 'redis.example',
      server: { host: 'fd00::7', port: 6380 },
      db: 3,
      family: undefined,
    });
    expect(parseRedisAddress('redis://:p@ss@redis:1/?db=2&family=6&tls=on')).toMatchObject({
      password: 'p@ss',
      db: 2,
      family: 6,
      tls: true,
    });
  });

  it('reads a set watched by sentinels', () => {
    expect(
      parseRedisAddress(
        'redis+sentinel://:secret@a:1,b,c:3/main?db=2&sentinel_user=watch&sentinel_password=other',
      ),
    ).toEqual({
      ...open,
      kind: 'sentinel',
      password: 'secret',
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
        { host: 'c', port: 3 },
      ],
      setName: 'main',
      db: 2,
      sentinelUser: 'watch',
      sentinelPassword: 'other',
      sentinelTls: false,
    });
    expect(parseRedisAddress('rediss+sentinel://a/main')).toMatchObject({ sentinelTls: true });
    expect(parseRedisAddress('redis+sentinel://a/main?tls=true&sentinel_tls=off')).toMatchObject({
      tls: true,
      sentinelTls: false,
    });
  });

  it('reads a cluster', () => {
    const nodes = [
      { host: '10.0.0.1', port: 7000 },
      { host: '10.0.0.2', port: 6379 },
    ];
    expect(parseRedisAddress('redis+cluster://10.0.0.1:7000,10.0.0.2')).toEqual({
      ...open,
      kind: 'cluster',
      nodes,
    });
    expect(parseRedisAddress('rediss+cluster://ann:x@10.0.0.1:7000,10.0.0.2/')).toMatchObject({
      nodes,
      tls: true,
      user: 'ann',
      password: 'x',
    });
  });

  it.each([
    ['another scheme', 'http://redis'],
    ['no host', 'redis://'],
    ['several hosts without their kind', 'redis://a,b'],
    ['a port out of range', 'redis://a:65536'],
    ['an empty host in a list', 'redis+cluster://a,,b'],
    ['a set without its name', 'redis+sentinel://a,b'],
    ['a database in a cluster', 'redis+cluster://a/1'],
    ['two databases', 'redis://a/1?db=2'],
    ['a database that is not a number', 'redis://a/one'],
    ['an option for another kind of address', 'redis://a?sentinel_password=x'],
    ['an unknown option', 'redis://a?enableOfflineQueue=true'],
    ['a switch that is neither on nor off', 'redis://a?tls=maybe'],
    ['TLS both on and off', 'rediss://a?tls=off'],
    ['an incorrectly encoded password', 'redis://:100%@a'],
  ])('refuses %s', (_what, text) => {
    expect(() => parseRedisAddress(text)).toThrow(/^m(?:ust|ay)/);
  });

  it('never repeats a possible password', () => {
    const secret = 'Hidden';
    fc.assert(
      fc.property(
        fc.constantFrom('redis', 'rediss', 'redis+sentinel', 'redis+cluster', 'other'),
        fc.array(fc.constantFrom(secret, ':', '@', '/', '?', '#', ',', '%', '=', '&', 'a')),
        (scheme, parts) => {
          try {
            parseRedisAddress(`${scheme}://${parts.join('')}`);
          } catch (error) {
            expect(String(error)).not.toContain(secret);
          }
        },
      ),
    );
  });
});
