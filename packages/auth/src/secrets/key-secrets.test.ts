import { expect, test } from 'vitest';

import {
  deriveKeySecrets,
  hashToStore,
  hashesToFind,
  isCurrentHash,
  openEither,
  openEventMembers,
  openSecret,
  sealEventMembers,
  sealSecret,
} from './key-secrets.ts';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];

test('sealed members open under the same secret only, and not when altered', () => {
  const secrets = deriveKeySecrets('a'.repeat(32));
  const sealed = sealEventMembers(secrets, { api_key: 'q' });
  expect(sealed).not.toContain('api_key');
  expect(openEventMembers(secrets, sealed)).toEqual({ api_key: 'q' });
  expect(() => openEventMembers(deriveKeySecrets('b'.repeat(32)), sealed)).toThrow(/authenticate/);
  const altered = Buffer.from(sealed, 'base64');
  altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
  expect(() => openEventMembers(secrets, altered.toString('base64'))).toThrow(/authenticate/);
});

test('processes with the two secrets in either order find and open what the other writes', () => {
  const settings = [deriveKeySecrets(first, second), deriveKeySecrets(second, first)];
  for (const writer of settings)
    for (const reader of settings) {
      expect(hashesToFind(reader, 'key')).toContainEqual(hashToStore(writer, 'key'));
      const sealed = sealSecret(writer, 'text', 'purpose');
      expect(openSecret(reader, sealed, 'purpose')).toBe('text');
      expect(() => openSecret(reader, sealed, 'other purpose')).toThrow(/authenticate/);
      const members = sealEventMembers(writer, { api_key: 'q' });
      expect(openEventMembers(reader, members)).toEqual({ api_key: 'q' });
    }
});

test('new data is written under the current secret only', () => {
  const both = deriveKeySecrets(second, first);
  const [old, current] = [deriveKeySecrets(first), deriveKeySecrets(second)];
  expect(hashesToFind(current, 'key')).toEqual([hashToStore(both, 'key')]);
  expect(hashToStore(both, 'key')).not.toEqual(hashToStore(old, 'key'));
  const sealed = sealSecret(both, 'text', 'purpose');
  expect(openSecret(current, sealed, 'purpose')).toBe('text');
  expect(() => openSecret(old, sealed, 'purpose')).toThrow(/authenticate/);
});

test('reports whether stored data is under the current secret', () => {
  const both = deriveKeySecrets(second, first);
  const old = deriveKeySecrets(first);
  expect(openEither(both, sealSecret(old, 'text', 'p'), 'p')).toEqual({
    text: 'text',
    isCurrent: false,
  });
  expect(openEither(both, sealSecret(both, 'text', 'p'), 'p').isCurrent).toBe(true);
  expect(isCurrentHash(both, 'key', hashToStore(both, 'key'))).toBe(true);
  expect(isCurrentHash(both, 'key', hashToStore(old, 'key'))).toBe(false);
  expect(isCurrentHash(both, 'key', Buffer.alloc(0))).toBe(false);
});
