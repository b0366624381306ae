import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { isPasswordStrong } from './password-strength.ts';

test.each([
  '',
  'x9Qz',
  '👩🚢⚓🌊🛶',
  'password',
  'qwertyuiop',
  '123456789',
  'aaaaaaaaaaaa',
  'sunshine',
  'abcdefgh',
])('%j is too weak', async (password) => expect(await isPasswordStrong(password)).toBe(false));

test.each([
  'correct horse battery staple',
  'kR7#vQp2',
  'the tide is low on tuesdays',
  'x'.repeat(30) + 'kR7#vQp2tide',
])('%j is strong', async (password) => expect(await isPasswordStrong(password)).toBe(true));

test("the user's name and address make a password weaker", async () => {
  expect(await isPasswordStrong('rosalindfenwick')).toBe(true);
  expect(await isPasswordStrong('rosalindfenwick', ['Rosalindfenwick'])).toBe(false);
});

test('a very long password is checked at once', async () => {
  expect(await isPasswordStrong('kR7#vQp2'.repeat(100_000))).toBe(true);
});

test('passwords that are checked together do not block the process', async () => {
  const strong = Promise.all(Array.from({ length: 20 }, () => isPasswordStrong('kR7#vQp2tide')));
  let isDone = false;
  void strong.then(() => {
    isDone = true;
  });
  let turns = 0;
  while (!isDone) {
    turns += 1;
    await setImmediate();
  }
  // The event loop went on all the time: a check that blocks takes one turn.
  expect(turns).toBeGreaterThan(20);
  expect(await strong).not.toContain(false);
});
