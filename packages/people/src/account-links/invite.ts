/** Invitations, by address and by link (reference facts, people 14.5; decision 0050). */
import {
  checkMaySubscribeOthers,
  filterReadableStreams,
  getAdministrator,
  lockAdministrator,
  lockCaller,
  maySubscribeOthers,
} from '@parley/store/access';
import { badRequest, invitationFailed, limits, roles, withoutCode } from '@parley/api';
import type { Caller, Role } from '@parley/api';
import type { Client } from '@parley/database';
import type { Append } from '@parley/event-log';
import { quote } from '@parley/outgoing/mail';
import {
  countInvitations,
  deleteInvitation,
  findInvitation,
  findStreamsByIds,
  insertInvitation,
  listDefaultStreams,
  lockRealmInUse,
  lockUsersInUse,
  renewInvitation,
} from '@parley/store';
import type { Realm, Stream, User } from '@parley/store';
import { hasRoomForToken, insertToken, lockTokensOfAddresses } from '@parley/store/account-tokens';

import { entryForEveryone } from '../accounts/account-events.ts';
import { prepareEmailRules } from '../accounts/email-rules.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';
import { checkRoomForMails } from '../mails/mail-room.ts';
import { writeMail } from '../mails/write-mail.ts';
import type { PeopleContext } from '../people-context.ts';
import { findAddressFaults, tooSimilar } from './address-faults.ts';
import type { AddressFault } from './address-faults.ts';
import { describeDuration } from './describe-duration.ts';
import { nobodyInvited, notInvited, readInvitees } from './invitees.ts';
import { checkSendsMails, makeLink } from './links.ts';

/** The numbers of roles in `invite_as` (reference facts, people 14.5). */
export const invitedAs: Readonly<Record<Role, number>> = { member: 1, administrator: 2, guest: 3 };

export type InvitationTerms = {
  readonly invitedAs: number;
  readonly streamIds: readonly number[];
  readonly validSecs: number;
};

const noSuchInvitation = (): Error => badRequest('No such invitation');

/** Tells administrators that the list has changed (reference facts, events 14.3). */
export function invitesChanged(): NonNullable<Append['entries']>[number] {
  return entryForEveryone([
    { form: 'same', audience: { to: 'administrators' }, event: { type: 'invites_changed' } },
  ]);
}

function checkRole(actor: User, number: number): Role {
  const role = Object.values(roles).find((each) => invitedAs[each] === number);
  if (role === undefined) throw withoutCode('Must be invited as an valid type of user');
  if (role === 'administrator' && actor.role !== 'administrator')
    throw withoutCode('Must be an organization administrator');
  return role;
}

async function findReadableStreams(
  client: Client,
  { id, role }: Pick<User, 'id' | 'role'>,
  streamIds: readonly number[],
): Promise<Stream[]> {
  const streams = await findStreamsByIds(client, streamIds);
  return filterReadableStreams(client, { userId: id, role }, streams);
}

/** @returns those of the streams that everybody joins, whoever brings them in */
async function findJoinedByAll(client: Client, streams: readonly Stream[]): Promise<Stream[]> {
  const defaults = new Set((await listDefaultStreams(client)).map(({ id }) => id));
  return streams.filter(({ id }) => defaults.has(id));
}

/**
 * @throws ApiError for the first stream that is none, or that the inviter does not see; or naming the policy, if the inviter may not
 *   bring others into streams
 */
async function checkStreams(
  { clock }: Pick<PeopleContext, 'clock'>,
  client: Client,
  { settings }: Pick<Realm, 'settings'>,
  inviter: User,
  streamIds: readonly number[],
): Promise<void> {
  const streams = await findReadableStreams(client, inviter, streamIds);
  const readable = new Set(streams.map(({ id }) => id));
  const missing = streamIds.find((id) => !readable.has(id));
  if (missing !== undefined)
    throw withoutCode(`Stream does not exist with id: ${missing}. No invites were sent.`);
  if ((await findJoinedByAll(client, streams)).length < streams.length)
    checkMaySubscribeOthers(inviter, settings, clock.nowMs());
}

/** @returns those of the streams into which somebody may bring others now */
export async function findOfferedStreams(
  { clock }: Pick<PeopleContext, 'clock'>,
  client: Client,
  { settings }: Pick<Realm, 'settings'>,
  inviter: User,
  streamIds: readonly number[],
): Promise<Stream[]> {
  const streams = await findReadableStreams(client, inviter, streamIds);
  return maySubscribeOthers(inviter, settings, clock.nowMs())
    ? streams
    : findJoinedByAll(client, streams);
}

function pairsOf(faults: readonly AddressFault[]): (readonly [email: string, reason: string])[] {
  return faults.map(({ email, reason }) => [email, reason]);
}

/** Mails a link with which the invited person joins. */
async function mailInvitation(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  inviter: Pick<User, 'fullName'>,
  invitation: { readonly id: number; readonly email: string; readonly validSecs: number },
): Promise<void> {
  const { id: invitationId, email, validSecs } = invitation;
  const { token, url } = makeLink(context, 'join');
  await insertToken(client, {
    purpose: 'join',
    userId: undefined,
    invitationId,
    email,
    token,
    validSecs,
  });
  await writeMail(context, client, {
    kind: 'invitation',
    recipient: email,
    expiresInSecs: validSecs,
    letter: {
      subject: [quote(inviter.fullName), ' invites you to ', quote(realm.name)],
      paragraphs: [
        [
          quote(inviter.fullName),
          ' invites you to talk with the people of ',
          quote(realm.name),
          '.',
        ],
        [`The link works once, within ${describeDuration(validSecs)}.`],
      ],
      action: { label: 'Join', url },
      ending: ['You get this mail because ', quote(inviter.fullName), ' wrote your address.'],
    },
  });
}

/**
 * Invites people by their addresses (reference facts, people 14.5).
 *
 * @throws ApiError with the first refusal; `INVITATION_FAILED` with `sent_invitations` true if only some have accounts already
 */
export async function invitePeople(
  context: PeopleContext,
  caller: Caller,
  rawEmails: string,
  terms: InvitationTerms,
): Promise<void> {
  checkSendsMails(context);
  prepareEmailRules();
  const taken = await context.eventLog.transaction(async (client) => {
    const realm = await lockRealmInUse(client);
    const actor = await lockCaller(client, caller);
    if (realm.settings.invite_by_admins_only && actor.role !== 'administrator')
      throw withoutCode('Must be an organization administrator');
    const role = checkRole(actor, terms.invitedAs);
    const invitees = readInvitees(rawEmails);
    const emails = invitees.map(({ email }) => email);
    if (terms.streamIds.length === 0)
      throw withoutCode('You must specify at least one stream for invitees to join.');
    await checkStreams(context, client, realm, actor, terms.streamIds);
    const faults = await findAddressFaults(client, realm, emails);
    const taken = pairsOf(faults.filter(({ isTaken }) => isTaken));
    const bad = pairsOf(faults.filter(({ isTaken }) => !isTaken));
    if (bad.length > 0) throw nobodyInvited([...bad, ...taken]);
    if (taken.length === emails.length)
      throw invitationFailed("We weren't able to invite anyone.", taken, false);
    await checkRoom(client, emails.length - taken.length);
    const takenEmails = new Set(taken.map(([email]) => email));
    const invited = invitees.filter(({ email }) => !takenEmails.has(email));
    await lockTokensOfAddresses(
      client,
      'join',
      invited.map(({ email }) => email),
    );
    const mailed: string[] = [];
    for (const { email, fullName } of invited) {
      // Whose mailbox has enough of them is invited without another mail.
      const hasRoom = await hasRoomForToken(client, 'join', email);
      await checkReplacedInvitation(client, actor, email);
      const id = await insertInvitation(client, context.keySecrets, {
        inviterId: actor.id,
        role,
        streamIds: terms.streamIds,
        usesMax: 1,
        validSecs: terms.validSecs,
        by: { email, fullName },
      });
      const { validSecs } = terms;
      if (!hasRoom) continue;
      await mailInvitation(context, client, realm, actor, { id, email, validSecs });
      mailed.push(email);
    }
    await checkRoomForMails(context, client, actor, mailed);
    return { result: taken, append: { entries: [invitesChanged()] } };
  });
  if (taken.length > 0)
    throw invitationFailed(
      "Some of those addresses are already using Parley, so we didn't send them an invitation. We did send invitations to everyone else!",
      taken,
      true,
    );
}

/** @throws ApiError if there is an open invitation that the actor may not replace, of somebody else or to somebody else */
async function checkReplacedInvitation(client: Client, actor: User, email: string): Promise<void> {
  const open = await findInvitation(client, { email });
  if (open === undefined || open.email === null) return;
  if (!isSameMailbox(open.email, email)) throw notInvited(email, tooSimilar);
  if (open.inviterId !== actor.id && actor.role !== 'administrator')
    throw notInvited(email, 'Somebody else has invited this address.');
}

async function checkRoom(client: Client, added: number): Promise<void> {
  if ((await countInvitations(client)) + added > limits.invitationsMax)
    throw withoutCode(`There may be at most ${limits.invitationsMax} open invitations.`);
}

/** @throws ApiError if nobody could join by a link: that takes a mail, or a provider that is trusted with addresses */
function checkLinksLeadIn(context: PeopleContext): void {
  const isProvedElsewhere = [...context.identityProviders.values()].some(
    ({ config }) => config.isTrusted,
  );
  if (!isProvedElsewhere) checkSendsMails(context);
}

/**
 * Makes a link with which anybody who has it joins (reference facts, people 14.5).
 *
 * @param usesMax null for any number
 * @returns the link
 */
export async function makeInvitationLink(
  context: PeopleContext,
  caller: Caller,
  terms: InvitationTerms,
  usesMax: number | null,
): Promise<string> {
  checkLinksLeadIn(context);
  return context.eventLog.transaction(async (client) => {
    const realm = await lockRealmInUse(client);
    const actor = await lockAdministrator(client, caller);
    const role = checkRole(actor, terms.invitedAs);
    await checkStreams(context, client, realm, actor, terms.streamIds);
    await checkRoom(client, 1);
    const { token, url } = makeLink(context, 'join');
    const { streamIds, validSecs } = terms;
    await insertInvitation(client, context.keySecrets, {
      inviterId: actor.id,
      role,
      streamIds,
      usesMax,
      validSecs,
      by: { link: token },
    });
    return { result: url, append: { entries: [invitesChanged()] } };
  });
}

/** Revokes an invitation. @throws ApiError `No such invitation` */
export async function revokeInvitation(
  context: PeopleContext,
  caller: Caller,
  id: number,
  kind: 'address' | 'link',
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    await lockAdministrator(client, caller);
    if (!(await deleteInvitation(client, id, kind))) throw noSuchInvitation();
    return { result: undefined, append: { entries: [invitesChanged()] } };
  });
}

/**
 * Mails an invitation again, with another link; the earlier ones work too while it is open.
 *
 * @returns when, in seconds since 1970
 * @throws ApiError `No such invitation`
 */
export async function resendInvitation(
  context: PeopleContext,
  caller: Caller,
  id: number,
): Promise<number> {
  checkSendsMails(context);
  return context.eventLog.transaction(async (client) => {
    const realm = await lockRealmInUse(client);
    const invitation = await findInvitation(client, { id });
    const people = await lockUsersInUse(client, {
      userIds: [caller.userId, invitation?.inviterId ?? caller.userId],
    });
    const actor = getAdministrator(people, caller);
    const email = invitation?.email;
    const inviter = people.find((person) => person.id === invitation?.inviterId);
    if (invitation === undefined || email === null || email === undefined || inviter === undefined)
      throw noSuchInvitation();
    const validSecs = invitation.expiresAtSecs - invitation.invitedAtSecs;
    const hasRoom = await hasRoomForToken(client, 'join', email);
    const timestamp = await renewInvitation(client, id, validSecs);
    if (timestamp === undefined) throw noSuchInvitation();
    if (hasRoom) {
      await mailInvitation(context, client, realm, inviter, { id, email, validSecs });
      await checkRoomForMails(context, client, actor, [email]);
    }
    return { result: timestamp, append: { entries: [invitesChanged()] } };
  });
}
