import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { textParameter } from '../declare/parameters.ts';
import { described, object, text } from '../declare/schema.ts';
import { signInRefusal } from './sign-in.ts';

/** Links in mails that open an account (decision 0050). */

const byNobody = {
  method: 'POST',
  service: 'people',
  access: { authentication: 'none' },
  limits: { network: 'attempts' },
} as const;

const tooMany = { status: 429, description: 'Too many requests from this network' } as const;

const newAddress = object({
  email: described(text, 'The address with which the account signs in'),
});

/** POST password_reset. */
export const requestPasswordResetEndpoint = declareEndpoint({
  ...byNobody,
  name: 'request-password-reset',
  path: '/password_reset',
  tag: 'Server',
  summary: 'Ask for a link to choose a new password, by mail',
  description:
    'The answer is the same whether or not an account has the address. The mail has an address of the web client, `/#reset/TOKEN`; the link works once, within an hour. Nobody gets more than five of these mails in an hour.',
  example: { as: 'nobody', parameters: { email: exampleVariables.email } },
  parameters: [
    textParameter('email', { required: true, description: 'The address of the account' }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, tooMany],
});

/** POST password_reset/confirm. */
export const resetPasswordEndpoint = declareEndpoint({
  ...byNobody,
  name: 'reset-password',
  path: '/password_reset/confirm',
  tag: 'Server',
  summary: 'Choose a new password by a link from a mail',
  description:
    'All else by which somebody may have the account ends: its sessions, its key, its identities at OpenID providers and its push subscriptions. Its bots stay as they are.',
  example: {
    as: 'nobody',
    parameters: {
      token: exampleVariables.resetToken,
      new_password: exampleVariables.newPassword,
    },
  },
  parameters: [
    textParameter('token', {
      required: true,
      description: 'The part of the link after `/#reset/`',
    }),
    textParameter('new_password', {
      required: true,
      description: 'With the strength required for a new account',
    }),
  ],
  success: newAddress,
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, tooMany],
});

/** POST settings/email/confirm. */
export const confirmEmailEndpoint = declareEndpoint({
  ...byNobody,
  name: 'confirm-email',
  path: '/settings/email/confirm',
  tag: 'Own account',
  summary: 'Confirm a new address of an account by a link from a mail to it',
  description:
    '`PATCH settings` with `email` sends the mail, with an address of the web client, `/#confirm/TOKEN`; the link works once, within a day. The previous address gets a mail too.',
  example: { as: 'nobody', parameters: { token: exampleVariables.confirmToken } },
  parameters: [
    textParameter('token', {
      required: true,
      description: 'The part of the link after `/#confirm/`',
    }),
  ],
  success: newAddress,
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, tooMany],
});
