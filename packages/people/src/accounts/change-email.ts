import { checkListRoom, getActor } from '@parley/store/access';
import { badRequest, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Append, EventPart } from '@parley/event-log';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import {
  emailPolicy,
  findUserById,
  isEmailTaken,
  lockRealmInUse,
  lockUsersForOwnChange,
  setUserEmail,
  shownEmail,
  updateUser,
} from '@parley/store';
import type { Realm, User } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { entryForEveryone, personUpdated, pictureUpdated, toUsers } from './account-events.ts';
import { checkAdmittedEmail } from './create-person.ts';
import { isEmailShaped } from './email-rules.ts';
import { isSameMailbox } from './mailbox.ts';

function emailInUse(email: string): Error {
  return withoutCode(`Email '${email}' already in use`);
}

/**
 * Changes the address of an account that the transaction has locked, with events for those who see it (reference facts, events 13.1).
 *
 * @returns the changed account, and what the transaction appends
 */
export async function changeLockedEmail(
  { publicUrl, lists }: Pick<PeopleContext, 'publicUrl' | 'lists'>,
  client: Client,
  realm: Realm,
  user: User,
  email: string,
): Promise<{ readonly result: User; readonly append: Append }> {
  const policy = emailPolicy(realm.settings, publicUrl);
  const shown = shownEmail({ id: user.id, email, botType: user.botType }, policy);
  await setUserEmail(client, user.id, { delivery: email, shown });
  // Another address has another Gravatar; a hidden address has none.
  if (user.avatarSource === 'G' && shown === email)
    await updateUser(client, user.id, { avatarSource: 'G' });
  const changed = await findUserById(client, user.id);
  if (changed === undefined) throw new Error('a locked account is gone');
  await checkListRoom(client, lists, undefined, {
    texts: {
      accounts: {
        before: [user.email, user.deliveryEmail],
        after: [changed.email, changed.deliveryEmail],
      },
    },
  });
  return {
    result: changed,
    append: { entries: [entryForEveryone(emailEvents(user, changed))], accountUserIds: [user.id] },
  };
}

/**
 * Changes the address of any account without a confirmation, for the operator.
 *
 * @throws ApiError with the rules for addresses of new people (reference facts, people 7.3); then nothing has changed
 */
export async function changeEmail(
  context: PeopleContext,
  caller: Caller,
  userId: number,
  wanted: string,
): Promise<User> {
  const email = wanted.trim();
  if (!isEmailShaped(email)) throw withoutCode('Bad name or username');
  try {
    return await context.eventLog.transaction(async (client) => {
      const realm = await lockRealmInUse(client);
      const people = await lockUsersForOwnChange(client, [userId, caller.userId]);
      getActor(people, caller);
      const user = people.find((person) => person.id === userId);
      if (user === undefined || user.isSystem) throw badRequest('No such user');
      if (email === user.deliveryEmail) return { result: user };
      if (user.botType === null) await checkAdmittedEmail(client, realm, email);
      const isOwnInAnotherForm = isSameMailbox(email, user.deliveryEmail);
      if (!isOwnInAnotherForm && (await isEmailTaken(client, email))) throw emailInUse(email);
      return changeLockedEmail(context, client, realm, user, email);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw emailInUse(email);
    throw error;
  }
}

function emailEvents(before: User, after: User): EventPart[] {
  const events: EventPart[] = [
    toUsers([after.id], {
      type: 'realm_user',
      op: 'update',
      person: { user_id: after.id, delivery_email: after.deliveryEmail },
    }),
  ];
  if (after.avatarVersion !== before.avatarVersion)
    events.push(pictureUpdated(after, before.email));
  if (after.email !== before.email) events.push(personUpdated(after, { new_email: after.email }));
  return events;
}
