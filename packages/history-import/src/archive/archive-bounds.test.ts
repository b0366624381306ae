import { expect, test } from 'vitest';

import { UnpackedBytes, archiveBounds, checkEntryPath } from './archive-bounds.ts';

test('text may unpack to many times its size, and nothing may unpack to more', () => {
  const { unsuspectedBytes, ratioMax } = archiveBounds;
  const ordinary = new UnpackedBytes(unsuspectedBytes / 20);
  expect(() => ordinary.add(unsuspectedBytes * 2)).not.toThrow();
  const small = new UnpackedBytes(1_000);
  expect(() => small.add(unsuspectedBytes)).not.toThrow();
  expect(() => small.add(1)).toThrow(/more than 200 times its size/);
  const bomb = new UnpackedBytes(unsuspectedBytes);
  expect(() => bomb.add(unsuspectedBytes * ratioMax)).not.toThrow();
  expect(() => bomb.add(1)).toThrow(/more than 200 times|more than a tebibyte/);
});

test.each(['../x', 'a/../../x', '/x', 'c:/x', String.raw`a\x`, 'a\0', 'x'.repeat(1_001)])(
  'the path %j leads nowhere',
  (path) => {
    expect(() => checkEntryPath(path)).toThrow(/The archive has an entry/);
  },
);

test('a path is known by its parts', () => {
  expect(checkEntryPath('./a//b/')).toBe('a/b');
});
