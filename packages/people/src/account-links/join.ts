/** Joining by a link: one from an invitation, one that everybody may use who has it, or without an invitation where none is needed. */
import { badRequest, withoutCode } from '@parley/api';
import { isUniqueViolation, transaction } from '@parley/database';
import type { Client } from '@parley/database';
import { quote } from '@parley/outgoing/mail';
import { hashPassword } from '@parley/auth/secrets';
import {
  findInvitation,
  findRealm,
  findUserById,
  isEmailTaken,
  lockInvitationInUse,
  lockRealmInUse,
  lockUsersInUse,
  takeInvitation,
} from '@parley/store';
import type { Invitation, Realm, User } from '@parley/store';
import {
  findJoinToken,
  hasRoomForToken,
  insertToken,
  noteJoined,
  takeJoinToken,
} from '@parley/store/account-tokens';
import type { JoinToken } from '@parley/store/account-tokens';

import { addPerson, checkAdmittedEmail, emailInUse } from '../accounts/create-person.ts';
import type { AddedPerson } from '../accounts/create-person.ts';
import { prepareEmailRules } from '../accounts/email-rules.ts';
import { checkFullName } from '../accounts/full-name.ts';
import { isSameMailbox } from '../accounts/mailbox.ts';
import { isPasswordStrong } from '../accounts/password-strength.ts';
import { checkEmailShape, noOrganization } from '../accounts/sign-in-refusals.ts';
import { hasRoomForMail } from '../mails/mail-room.ts';
import { writeMail } from '../mails/write-mail.ts';
import type { PeopleContext } from '../people-context.ts';
import { listJoinProviders } from '../sso/providers.ts';
import { findOfferedStreams, invitesChanged } from './invite.ts';
import {
  checkPasswordsAreUsed,
  checkSendsMails,
  checkTokenShape,
  getRealmWithPasswords,
  linkNotValid,
  makeLink,
} from './links.ts';

const purpose = 'join';
const validSecs = 86_400;

function hasJoinedAlready(): Error {
  return badRequest('You have joined by this link already. Sign in.');
}

function invitationRequired(): Error {
  return withoutCode('You need an invitation to join this organization.');
}

/** @throws ApiError if the organization requires invitations */
export function checkNeedsNoInvitation(realm: Realm): void {
  if (realm.settings.invite_required) throw invitationRequired();
}

/** @throws ApiError if nobody may join in this way now */
async function checkMayJoin(
  client: Client | PeopleContext['pool'],
  realm: Realm,
  link: string | undefined,
): Promise<Invitation | undefined> {
  if (link === undefined) {
    checkNeedsNoInvitation(realm);
    return undefined;
  }
  checkTokenShape(link);
  const invitation = await findInvitation(client, { link });
  if (invitation === undefined) throw linkNotValid();
  return invitation;
}

/**
 * Mails a link to an address, with which its person joins. Whoever has an account gets a mail that says so; the answer is the same.
 *
 * @param link the secret of an invitation link; undefined where no invitation is needed
 * @throws ApiError if nobody may join in this way, or with this address
 */
export async function requestToJoin(
  context: PeopleContext,
  email: string,
  link: string | undefined,
): Promise<void> {
  checkSendsMails(context);
  const address = checkEmailShape(email);
  const realm = await getRealmWithPasswords(context);
  const invitation = await checkMayJoin(context.pool, realm, link);
  await checkAdmittedEmail(context.pool, realm, address);
  await transaction(context.pool, async (client) => {
    const hasRoom = await hasRoomForToken(client, purpose, address);
    const isTaken = await isEmailTaken(client, address);
    if (!hasRoom || !(await hasRoomForMail(context, client, 'joins', address))) return;
    if (invitation !== undefined && !(await lockInvitationInUse(client, invitation.id)))
      throw linkNotValid();
    const { token, url } = makeLink(context, 'join');
    await insertToken(client, {
      purpose,
      userId: undefined,
      invitationId: invitation?.id,
      email: address,
      token,
      validSecs,
    });
    await writeMail(context, client, {
      kind: isTaken ? 'join-again' : 'join',
      recipient: address,
      expiresInSecs: validSecs,
      letter: isTaken
        ? {
            subject: ['You have an account in ', quote(realm.name)],
            paragraphs: [
              [
                'Somebody wanted to join ',
                quote(realm.name),
                ' with this address, which has an account there.',
              ],
              ['Sign in with your password, or ask there for a new one.'],
            ],
            action: { label: 'Sign in', url: context.publicUrl },
            ending: ['If it was not you, do nothing.'],
          }
        : {
            subject: ['Join ', quote(realm.name)],
            paragraphs: [
              ['Somebody wants to join ', quote(realm.name), ' with this address.'],
              ['If it is you, go on within a day. The link works once.'],
            ],
            action: { label: 'Join', url },
            ending: ['If it was not you, do nothing: no account is made then.'],
          },
    });
  });
}

/** What a link to join is for. */
export type JoinOffer = {
  readonly organization: string;
  /** Who is asked for an address if it is null. */
  readonly email: string | null;
  /** The name under which the person was invited. */
  readonly fullName: string | null;
  readonly inviter: string | null;
  /** The providers at which the person may prove an address instead, in their order. */
  readonly providerIds: readonly string[];
};

async function findOffer(
  db: PeopleContext['pool'],
  token: string,
): Promise<
  { readonly email: string | null; readonly invitationId: number | undefined } | undefined
> {
  const found = await findJoinToken(db, token);
  if (found?.hasJoined === true) throw hasJoinedAlready();
  if (found !== undefined) return found;
  const invitation = await findInvitation(db, { link: token });
  return invitation && { email: null, invitationId: invitation.id };
}

/** @throws ApiError if the link, or the invitation on which it stands, is not good any more */
async function readOffer(
  db: PeopleContext['pool'],
  token: string,
): Promise<{ readonly email: string | null; readonly invitation: Invitation | undefined }> {
  checkTokenShape(token);
  const offer = await findOffer(db, token);
  if (offer === undefined) throw linkNotValid();
  const { email, invitationId } = offer;
  if (invitationId === undefined) return { email, invitation: undefined };
  const invitation = await findInvitation(db, { id: invitationId });
  if (invitation === undefined) throw linkNotValid();
  return { email, invitation };
}

/**
 * Tells what a link is for, before it is used.
 *
 * @throws ApiError if it is not good any more, or nobody can join by it now
 */
export async function lookAtJoinLink(context: PeopleContext, token: string): Promise<JoinOffer> {
  const realm = await findRealm(context.pool);
  if (realm === undefined) throw noOrganization();
  const providerIds = listJoinProviders(realm, context);
  if (providerIds.length === 0) checkPasswordsAreUsed(realm, context);
  const { email, invitation } = await readOffer(context.pool, token);
  const inviter = invitation && (await findUserById(context.pool, invitation.inviterId));
  return {
    organization: realm.name,
    email,
    fullName: invitation?.fullName ?? null,
    inviter: inviter?.fullName ?? null,
    providerIds,
  };
}

/**
 * Finds the invitation that a link gives to anybody who has it. One by address is for its address alone, by which it is found.
 *
 * @returns its id, or undefined for a link that stands on none of this kind
 * @throws ApiError if the link is not good any more
 */
export async function findLinkInvitation(
  db: PeopleContext['pool'],
  token: string,
): Promise<number | undefined> {
  const { invitation } = await readOffer(db, token);
  return invitation?.email === null ? invitation.id : undefined;
}

export type Joining = {
  readonly token: string;
  readonly fullName: string;
  readonly password: string;
};

type Terms = { readonly inviter: User; readonly invitation: Invitation };

/** Whether somebody still may invite in this way. */
function mayInvite(realm: Realm, inviter: User | undefined, invitation: Invitation): boolean {
  const isForAdministrators =
    realm.settings.invite_by_admins_only ||
    invitation.role === 'administrator' ||
    invitation.email === null;
  return (
    inviter?.isActive === true &&
    inviter.role !== 'guest' &&
    (!isForAdministrators || inviter.role === 'administrator')
  );
}

/** Uses an invitation up, or once. An inviter who lost the right no longer invites. */
export async function takeTerms(
  client: Client,
  realm: Realm,
  invitationId: number,
): Promise<Terms> {
  const invitation = await takeInvitation(client, invitationId);
  if (invitation === undefined) throw linkNotValid();
  const [inviter] = await lockUsersInUse(client, { userIds: [invitation.inviterId] });
  if (inviter === undefined || !mayInvite(realm, inviter, invitation)) throw linkNotValid();
  return { inviter, invitation };
}

/** Uses the invitation of an address. @returns undefined if there is none that is good */
export async function takeTermsOfAddress(
  client: Client,
  realm: Realm,
  email: string,
): Promise<Terms | undefined> {
  const invitation = await findInvitation(client, { email });
  if (invitation === undefined || invitation.email === null) return undefined;
  if (!isSameMailbox(invitation.email, email)) return undefined;
  const inviter = await findUserById(client, invitation.inviterId);
  return mayInvite(realm, inviter, invitation)
    ? takeTerms(client, realm, invitation.id)
    : undefined;
}

/** Uses up what a link from a mail stands on. @returns undefined where no invitation is needed */
async function takeTermsOfLink(
  client: Client,
  realm: Realm,
  token: string,
  { email, invitationId }: JoinToken,
): Promise<Terms | undefined> {
  if (!(await takeJoinToken(client, token))) {
    const found = await findJoinToken(client, token);
    throw found?.hasJoined === true ? hasJoinedAlready() : linkNotValid();
  }
  if (invitationId === undefined) {
    checkNeedsNoInvitation(realm);
    return undefined;
  }
  const terms = await takeTerms(client, realm, invitationId);
  const invited = terms.invitation.email;
  // An invitation that had ended was replaced by one of an address that only looks like it.
  if (invited !== null && !isSameMailbox(invited, email)) throw linkNotValid();
  return terms;
}

/**
 * Adds a person who was invited, or needs no invitation, in a transaction that has locked the realm. The streams are those of the invitation
 * that the inviter may read now, otherwise the default streams.
 *
 * @param role by default that of the invitation, otherwise a member
 * @returns the account, and what the transaction appends
 */
export async function addJoining(
  context: PeopleContext,
  client: Client,
  realm: Realm,
  person: Pick<AddedPerson, 'email' | 'fullName' | 'passwordHash'>,
  terms: Terms | undefined,
  role = terms?.invitation.role,
): ReturnType<typeof addPerson> {
  const streams =
    terms &&
    (await findOfferedStreams(context, client, realm, terms.inviter, terms.invitation.streamIds));
  const added = await addPerson(context, client, realm, {
    ...person,
    role,
    streamIds: streams?.map(({ id }) => id) ?? [],
    actorId: terms?.inviter.id,
  });
  if (terms === undefined) return added;
  const { result, append } = added;
  return { result, append: { ...append, entries: [...append.entries, invitesChanged()] } };
}

/**
 * Makes the account of whoever has the link, whose address is proved by it (reference facts, people 7.3).
 *
 * @returns the account
 * @throws ApiError if the link is not good any more, or with the first refusal for a new person; then nothing has changed
 */
export async function join(
  context: PeopleContext,
  { token, fullName: givenName, password }: Joining,
): Promise<User> {
  checkTokenShape(token);
  await getRealmWithPasswords(context);
  const found = await findJoinToken(context.pool, token);
  if (found === undefined) throw linkNotValid();
  if (found.hasJoined) throw hasJoinedAlready();
  const fullName = checkFullName(givenName);
  const { email } = found;
  if (!(await isPasswordStrong(password, [fullName, email])))
    throw withoutCode('The password is too weak.');
  const passwordHash = await hashPassword(password);
  prepareEmailRules();
  try {
    return await context.eventLog.transaction(async (client) => {
      const realm = await lockRealmInUse(client);
      checkPasswordsAreUsed(realm, context);
      const terms = await takeTermsOfLink(client, realm, token, found);
      await checkAdmittedEmail(client, realm, email);
      if (await isEmailTaken(client, email)) throw emailInUse(email);
      const person = { email, fullName, passwordHash };
      const added = await addJoining(context, client, realm, person, terms);
      await noteJoined(client, token, added.result.id);
      return added;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw emailInUse(email);
    throw error;
  }
}
