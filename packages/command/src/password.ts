import { randomInt } from 'node:crypto';

// No characters that look alike.
const passwordAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const passwordGroups = 5;
const groupLength = 4;

/** @returns a random password of some 99 bits, in groups that a person can type */
export function makePassword(): string {
  const group = (): string =>
    Array.from(
      { length: groupLength },
      () => passwordAlphabet[randomInt(passwordAlphabet.length)],
    ).join('');
  return Array.from({ length: passwordGroups }, group).join('-');
}
