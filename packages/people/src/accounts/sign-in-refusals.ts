import { badRequest, withoutCode } from '@parley/api';
import type { ApiError } from '@parley/api';

import { isEmailShaped } from './email-rules.ts';

/** Refusals of the key endpoints (reference facts, people 5.1 and 5.2): 403 with a reason and no code. */

export function accountDisabled(): ApiError {
  return withoutCode('Your account has been disabled.', 403, { reason: 'user disable' });
}

export function organizationDeactivated(): ApiError {
  return withoutCode('This organization has been deactivated.', 403, {
    reason: 'realm deactivated',
  });
}

/** Not of the reference, whose server does not start without one. */
export function noOrganization(): ApiError {
  return withoutCode('There is no organization on this server yet.');
}

export function passwordSignInDisabled(): ApiError {
  return withoutCode('Password auth is disabled in your team.', 403, {
    reason: 'password auth disabled',
  });
}

export function incorrectCredentials(): ApiError {
  return withoutCode('Your username or password is incorrect.', 403, {
    reason: 'incorrect_creds',
  });
}

export function notRegistered(): ApiError {
  return withoutCode('This user is not registered.', 403, { reason: 'unregistered' });
}

/**
 * Checks that a user name is shaped like an email address.
 *
 * @returns the name without surrounding space
 * @throws ApiError `Enter a valid email address.`
 */
export function checkEmailShape(username: string): string {
  const email = username.trim();
  if (!isEmailShaped(email)) throw badRequest('Enter a valid email address.');
  return email;
}
