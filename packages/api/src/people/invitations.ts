import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import {
  integerListParameter,
  integerParameter,
  pathInteger,
  textParameter,
} from '../declare/parameters.ts';
import {
  boolean,
  described,
  integer,
  listOf,
  nullable,
  object,
  optional,
  text,
  timestamp,
} from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { signInRefusal } from './sign-in.ts';

/** Invitations (reference facts, people 14.5), and joining by them (decision 0050). */

const ofOrganization = { service: 'people', tag: 'Organization' } as const;

const forAdministrators = {
  authentication: 'required',
  administratorsOnly: true,
  bots: 'refused',
} as const;

const invitedAs = integerParameter('invite_as', {
  default: 1,
  description: '1 member, 2 administrator (by administrators only), 3 guest',
});

const expiresIn = integerParameter('invite_expires_in_minutes', {
  default: limits.invitationDefaultMinutes,
  description: `How long it can be used, up to a year; by default ten days`,
});

/** POST invites (reference facts, people 14.5). */
export const invitePeopleEndpoint = declareEndpoint({
  ...ofOrganization,
  name: 'invite-people',
  method: 'POST',
  path: '/invites',
  summary: 'Invite people by their addresses',
  description: `Each gets a mail with an address of the web client, \`/#join/TOKEN\`. At most ${limits.inviteesMax} addresses at once. Another invitation for an address takes the place of the earlier one, and its links too. Nobody gets more than five of these mails in an hour.`,
  example: {
    as: 'administrator',
    parameters: {
      invitee_emails: 'Nils Ask <nils@harbour.example>, pia@harbour.example',
      stream_ids: [exampleVariables.streamId],
    },
  },
  access: { authentication: 'required', guests: 'refused', bots: 'refused' },
  parameters: [
    textParameter('invitee_emails', {
      required: true,
      description:
        'Separated by commas, semicolons or line ends, each alone or as `Name <address>`; the name is offered to who joins',
    }),
    invitedAs,
    integerListParameter('stream_ids', {
      required: true,
      description: 'The streams that the invited people join',
    }),
    expiresIn,
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'INVITATION_FAILED', 'REQUEST_VARIABLE_MISSING'],
});

/** GET invites (reference facts, people 14.5). */
export const listInvitationsEndpoint = declareEndpoint({
  ...ofOrganization,
  name: 'list-invitations',
  method: 'GET',
  path: '/invites',
  summary: 'List the invitations that can still be used',
  access: forAdministrators,
  parameters: [],
  success: object({
    invites: listOf(
      object(
        {
          id: integer,
          ref: described(text, 'The address of who invited'),
          invited: described(timestamp, 'When, seconds since 1970'),
          invited_as: described(integer, '1 member, 2 administrator, 3 guest'),
          is_multiuse: described(boolean, 'Whether it is a link'),
          expiry_date: described(timestamp, 'Until when, seconds since 1970'),
          stream_ids: listOf(integer),
          uses: described(integer, 'How many people have joined by it'),
          uses_max: described(nullable(integer), 'How many may; null for any number'),
          ...optional({
            email: described(text, 'of an invitation by address'),
            full_name: described(text, 'of an invitation by address that was given one'),
            link_url: described(
              text,
              'of a link; absent if it was made under a key secret that was replaced',
            ),
          }),
        },
        { name: 'Invitation' },
      ),
    ),
  }),
});

/** DELETE invites/{invite_id} (reference facts, people 14.5). */
export const revokeInvitationEndpoint = declareEndpoint({
  ...ofOrganization,
  name: 'revoke-invitation',
  method: 'DELETE',
  path: '/invites/{invite_id}',
  summary: 'Revoke an invitation by address',
  example: { parameters: { invite_id: exampleVariables.invitationId } },
  access: forAdministrators,
  parameters: [pathInteger('invite_id', { description: 'The id of the invitation' })],
  success: object({}),
  errors: ['BAD_REQUEST'],
});

/** POST invites/{invite_id}/resend (reference facts, people 14.5). */
export const resendInvitationEndpoint = declareEndpoint({
  ...ofOrganization,
  name: 'resend-invitation',
  method: 'POST',
  path: '/invites/{invite_id}/resend',
  summary: 'Mail an invitation again',
  description: 'Its time begins anew.',
  example: { parameters: { invite_id: exampleVariables.invitationId } },
  access: forAdministrators,
  parameters: [pathInteger('invite_id', { description: 'The id of the invitation' })],
  success: object({ timestamp: described(timestamp, 'When, seconds since 1970') }),
  errors: ['BAD_REQUEST'],
});

/** POST invites/multiuse (reference facts, people 14.5). */
export const makeInvitationLinkEndpoint = declareEndpoint({
  ...ofOrganization,
  name: 'make-invitation-link',
  method: 'POST',
  path: '/invites/multiuse',
  summary: 'Make a link by which anybody joins who has it',
  description:
    'Whoever opens it is asked for an address, which a mail confirms. The rules of the organization for addresses apply.',
  example: { parameters: { stream_ids: [exampleVariables.streamId], uses_max: 20 } },
  access: forAdministrators,
  parameters: [
    invitedAs,
    integerListParameter('stream_ids', {
      default: [],
      description: 'The streams that people join; without any the default streams',
    }),
    expiresIn,
    integerParameter('uses_max', {
      description: 'How many people may join by it; by default any number',
    }),
  ],
  success: object({ invite_link: text }),
  errors: ['BAD_REQUEST'],
});

/** DELETE invites/multiuse/{invite_id} (reference facts, people 14.5). */
export const revokeInvitationLinkEndpoint = declareEndpoint({
  ...ofOrganization,
  name: 'revoke-invitation-link',
  method: 'DELETE',
  path: '/invites/multiuse/{invite_id}',
  summary: 'Revoke a link',
  example: { parameters: { invite_id: exampleVariables.invitationLinkId } },
  access: forAdministrators,
  parameters: [pathInteger('invite_id', { description: 'The id of the link' })],
  success: object({}),
  errors: ['BAD_REQUEST'],
});

const byNobody = {
  method: 'POST',
  service: 'people',
  tag: 'Server',
  access: { authentication: 'none' },
  limits: { network: 'attempts' },
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [signInRefusal, { status: 429, description: 'Too many requests from this network' }],
} as const;

const joinToken = textParameter('token', {
  required: true,
  description: 'The part of the link after `/#join/`',
});

/** POST join/request. */
export const requestToJoinEndpoint = declareEndpoint({
  ...byNobody,
  name: 'request-to-join',
  path: '/join/request',
  summary: 'Ask for a mail with a link to join',
  description:
    'With the token of a link that anybody may use, or without one where the organization needs no invitation. The answer is the same whether or not an account has the address.',
  example: {
    as: 'nobody',
    parameters: { email: 'nils@harbour.example', token: exampleVariables.invitationLinkToken },
  },
  parameters: [
    textParameter('email', { required: true, description: 'The address of the new account' }),
    textParameter('token', { description: 'The part of the link after `/#join/`' }),
  ],
  success: object({}),
});

/** POST join/look. */
export const lookAtJoinLinkEndpoint = declareEndpoint({
  ...byNobody,
  name: 'look-at-join-link',
  path: '/join/look',
  afterLoss: 'read',
  summary: 'Find out what a link to join is for, without using it',
  example: { as: 'nobody', parameters: { token: exampleVariables.joinToken } },
  parameters: [joinToken],
  success: object({
    organization: described(text, 'Its name'),
    email: described(
      nullable(text),
      'The address of the new account; null for a link that needs one (`POST join/request`)',
    ),
    full_name: described(nullable(text), 'The name under which the person was invited'),
    inviter: described(nullable(text), 'The name of who invited'),
    providers: described(
      listOf(text),
      'The ids of the OpenID providers by which the person can join instead (`POST sso/start`), without a mail and a password',
    ),
  }),
});

/** POST join. */
export const joinEndpoint = declareEndpoint({
  ...byNobody,
  name: 'join',
  path: '/join',
  summary: 'Make an account by a link from a mail',
  description:
    'The link works once, and tells who comes back with it to sign in. Sign in with the answered address and the password.',
  example: {
    as: 'nobody',
    parameters: {
      token: exampleVariables.joinToken,
      full_name: 'Nils Ask',
      password: exampleVariables.newPassword,
    },
  },
  parameters: [
    joinToken,
    textParameter('full_name', { required: true, description: 'The name that others see' }),
    textParameter('password', { required: true, description: 'The password of the new account' }),
  ],
  success: object({ user_id: integer, email: described(text, 'the real address') }),
});
