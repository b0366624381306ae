import { limits, withoutCode } from '@parley/api';
import {
  invitePeopleEndpoint,
  joinEndpoint,
  listInvitationsEndpoint,
  lookAtJoinLinkEndpoint,
  makeInvitationLinkEndpoint,
  requestToJoinEndpoint,
  resendInvitationEndpoint,
  revokeInvitationEndpoint,
  revokeInvitationLinkEndpoint,
} from '@parley/api/people';
import {
  addressOfLink,
  invitePeople,
  invitedAs,
  join,
  lookAtJoinLink,
  makeInvitationLink,
  requestToJoin,
  resendInvitation,
  revokeInvitation,
} from '@parley/people';
import type { InvitationTerms, PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { listInvitations } from '@parley/store';

/** @throws ApiError for a time outside its bounds */
function termsOf(parameters: {
  readonly invite_as: number;
  readonly stream_ids: readonly number[];
  readonly invite_expires_in_minutes: number;
}): InvitationTerms {
  const minutes = parameters.invite_expires_in_minutes;
  if (minutes < 1 || minutes > limits.invitationMaxMinutes)
    throw withoutCode('Invalid invite_expires_in_minutes');
  return {
    invitedAs: parameters.invite_as,
    streamIds: [...new Set(parameters.stream_ids)],
    validSecs: minutes * 60,
  };
}

/** POST invites (reference facts, people 14.5). */
export const invitePeopleHandler = implement(
  invitePeopleEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await invitePeople(context, caller, parameters.invitee_emails, termsOf(parameters));
    return {};
  },
);

/** GET invites (reference facts, people 14.5). */
export const listInvitationsHandler = implement(
  listInvitationsEndpoint,
  async (context: PeopleContext) => {
    const listed = await listInvitations(context.pool, context.keySecrets, limits.invitationsMax);
    return {
      invites: listed.map((invitation) => ({
        id: invitation.id,
        ref: invitation.inviterEmail,
        invited: invitation.invitedAtSecs,
        invited_as: invitedAs[invitation.role],
        is_multiuse: invitation.email === null,
        expiry_date: invitation.expiresAtSecs,
        stream_ids: [...invitation.streamIds],
        uses: invitation.uses,
        uses_max: invitation.usesMax,
        ...(invitation.email !== null && { email: invitation.email }),
        ...(invitation.fullName !== null && { full_name: invitation.fullName }),
        ...(invitation.link !== undefined && {
          link_url: addressOfLink(context, 'join', invitation.link),
        }),
      })),
    };
  },
);

/** DELETE invites/{invite_id} (reference facts, people 14.5). */
export const revokeInvitationHandler = implement(
  revokeInvitationEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await revokeInvitation(context, caller, parameters.invite_id, 'address');
    return {};
  },
);

/** POST invites/{invite_id}/resend (reference facts, people 14.5). */
export const resendInvitationHandler = implement(
  resendInvitationEndpoint,
  async (context: PeopleContext, { caller, parameters }) => ({
    timestamp: await resendInvitation(context, caller, parameters.invite_id),
  }),
);

/** POST invites/multiuse (reference facts, people 14.5). */
export const makeInvitationLinkHandler = implement(
  makeInvitationLinkEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const usesMax = parameters.uses_max ?? null;
    if (usesMax !== null && (usesMax < 1 || usesMax > limits.invitationUsesMax))
      throw withoutCode('Invalid uses_max');
    return {
      invite_link: await makeInvitationLink(context, caller, termsOf(parameters), usesMax),
    };
  },
);

/** DELETE invites/multiuse/{invite_id} (reference facts, people 14.5). */
export const revokeInvitationLinkHandler = implement(
  revokeInvitationLinkEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await revokeInvitation(context, caller, parameters.invite_id, 'link');
    return {};
  },
);

/** POST join/request. */
export const requestToJoinHandler = implement(
  requestToJoinEndpoint,
  async (context: PeopleContext, { parameters }) => {
    await requestToJoin(context, parameters.email, parameters.token);
    return {};
  },
);

/** POST join/look. */
export const lookAtJoinLinkHandler = implement(
  lookAtJoinLinkEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const { providerIds, fullName, ...offer } = await lookAtJoinLink(context, parameters.token);
    return { ...offer, full_name: fullName, providers: providerIds };
  },
);

/** POST join. */
export const joinHandler = implement(
  joinEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const { id, deliveryEmail } = await join(context, {
      token: parameters.token,
      fullName: parameters.full_name,
      password: parameters.password,
    });
    return { user_id: id, email: deliveryEmail };
  },
);
