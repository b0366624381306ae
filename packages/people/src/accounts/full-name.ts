import { badRequest, limits } from '@parley/api';

const nameMinCodePoints = 2;

// Control, format, surrogate, private-use and unassigned characters are of the Unicode category C.
const forbidden = /[\p{C}*`\\>"@]/u;

/**
 * Checks the full name of a person or bot (reference facts, people 7.6).
 *
 * @returns the name without surrounding space
 * @throws ApiError with the first rule that it breaks
 */
export function checkFullName(given: string): string {
  const name = given.trim();
  const length = Array.from(name).length;
  if (length > limits.fullNameMaxCodePoints) throw badRequest('Name too long!');
  if (length < nameMinCodePoints) throw badRequest('Name too short!');
  if (forbidden.test(name)) throw badRequest('Invalid characters in name!');
  return name;
}
