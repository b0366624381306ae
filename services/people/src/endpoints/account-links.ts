import {
  confirmEmailEndpoint,
  requestPasswordResetEndpoint,
  resetPasswordEndpoint,
} from '@parley/api/people';
import { confirmEmailChange, requestPasswordReset, resetPassword } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';

/** POST password_reset. */
export const requestPasswordResetHandler = implement(
  requestPasswordResetEndpoint,
  async (context: PeopleContext, { parameters }) => {
    await requestPasswordReset(context, parameters.email);
    return {};
  },
);

/** POST password_reset/confirm. */
export const resetPasswordHandler = implement(
  resetPasswordEndpoint,
  (context: PeopleContext, { parameters }) =>
    resetPassword(context, parameters.token, parameters.new_password),
);

/** POST settings/email/confirm. */
export const confirmEmailHandler = implement(
  confirmEmailEndpoint,
  (context: PeopleContext, { parameters }) => confirmEmailChange(context, parameters.token),
);
