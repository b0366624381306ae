import { parseAnswerAddresses } from '@parley/config';
import { deriveKeySecrets } from '@parley/auth/secrets';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isGenuine, makeAnswerAddress, parseAnswerAddress } from './answer-address.ts';

const addresses = parseAnswerAddresses('reply+%@chat.example');
const secrets = deriveKeySecrets('s'.repeat(32));
const ann = { address: 'ann@home.example', passwordHash: '$argon2id$1', keyMadeAt: '17.000001' };

function make(subject: { userId: number; messageId: number }, credentials = ann): string {
  return makeAnswerAddress(addresses, secrets, subject, credentials);
}

const subjects = fc.record({
  userId: fc.nat({ max: 2 ** 31 - 1 }),
  messageId: fc.nat({ max: 2 ** 48 - 1 }),
});

test('an address says whom and what it was made for, in any case', () => {
  fc.assert(
    fc.property(subjects, fc.boolean(), (subject, isUpper) => {
      const made = make(subject);
      expect(made).toMatch(/^reply\+[a-z2-7]{42}@chat\.example$/);
      expect(made.indexOf('@')).toBeLessThanOrEqual(64);
      const token = parseAnswerAddress(addresses, isUpper ? made.toUpperCase() : made);
      expect(token).toMatchObject(subject);
      expect(token && isGenuine(secrets, token, ann)).toBe(true);
    }),
  );
});

test('a changed character is no address, or no genuine one', () => {
  fc.assert(
    fc.property(
      subjects,
      fc.nat({ max: 41 }),
      fc.stringMatching(/^[a-z2-7]$/),
      (subject, at, character) => {
        const made = make(subject);
        const index = 'reply+'.length + at;
        fc.pre(made[index] !== character);
        const token = parseAnswerAddress(
          addresses,
          made.slice(0, index) + character + made.slice(index + 1),
        );
        expect(token !== undefined && isGenuine(secrets, token, ann)).toBe(false);
      },
    ),
  );
});

test('other texts are no addresses', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseAnswerAddress(addresses, text)).toBeUndefined();
      expect(parseAnswerAddress(addresses, `reply+${text}@chat.example`)).toBeUndefined();
    }),
  );
  const made = make({ userId: 1, messageId: 2 });
  expect(parseAnswerAddress(addresses, made.replace('chat', 'chut'))).toBeUndefined();
  expect(parseAnswerAddress(addresses, `x${made}`)).toBeUndefined();
});

test('it ends with the address, the password and the key of its person, and with the key secret', () => {
  const token = parseAnswerAddress(addresses, make({ userId: 7, messageId: 8 }));
  if (token === undefined) throw new Error('it is an address');
  expect(isGenuine(secrets, token, { ...ann, address: 'ann@work.example' })).toBe(false);
  expect(isGenuine(secrets, token, { ...ann, passwordHash: '$argon2id$2' })).toBe(false);
  expect(isGenuine(secrets, token, { ...ann, passwordHash: null })).toBe(false);
  expect(isGenuine(secrets, token, { ...ann, keyMadeAt: '17.000002' })).toBe(false);
  const next = 't'.repeat(32);
  expect(isGenuine(deriveKeySecrets(next), token, ann)).toBe(false);
  expect(isGenuine(deriveKeySecrets(next, 's'.repeat(32)), token, ann)).toBe(true);
});
