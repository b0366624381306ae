import { badRequest, foldName } from '@parley/api';
import { noTypingRecipients, sendTypingEndpoint } from '@parley/api/presence';
import type { TypingRecipients } from '@parley/api/presence';
import type { Queryable } from '@parley/database';
import { checkParticipantCount } from '@parley/store/access';
import { implement } from '@parley/server';
import { findUsersByEmails, findUsersByIds } from '@parley/store';
import type { User } from '@parley/store';

import type { PresenceContext } from '../context.ts';

const idMax = 2_147_483_647;

/**
 * @returns the accounts, each once
 * @throws ApiError BAD_REQUEST naming the first that does not exist
 */
async function getRecipients(database: Queryable, to: TypingRecipients): Promise<User[]> {
  if (to.kind === 'ids') {
    const possible = to.ids.filter((id) => id > 0 && id <= idMax);
    const people = await findUsersByIds(database, possible);
    const found = new Set(people.map(({ id }) => id));
    const missing = to.ids.find((id) => !found.has(id));
    if (missing !== undefined) throw badRequest(`Invalid user ID ${missing}`);
    return people;
  }
  const people = await findUsersByEmails(
    database,
    to.emails.filter((email) => !email.includes('\0')),
  );
  const found = new Set(people.map(({ email }) => foldName(email)));
  const missing = to.emails.find((email) => !found.has(foldName(email)));
  if (missing !== undefined) throw badRequest(`Invalid email '${missing}'`);
  return people;
}

export const sendTypingHandler = implement(
  sendTypingEndpoint,
  async (context: PresenceContext, { caller, parameters }) => {
    const { op, to = noTypingRecipients } = parameters;
    const requested = (to.kind === 'ids' ? to.ids : to.emails).length;
    if (requested === 0) throw badRequest("Missing parameter: 'to' (recipient)");
    if (op !== 'start' && op !== 'stop')
      throw badRequest("Invalid 'op' value (should be start or stop)");
    checkParticipantCount(requested, context.participantsMax);
    const recipients = await getRecipients(context.pool, to);
    const recipientIds = recipients.map(({ id }) => id);
    const participantIds = new Set([caller.userId, ...recipientIds]);
    checkParticipantCount(participantIds.size, context.participantsMax);
    const gone = recipients.find(({ isActive }) => !isActive);
    if (gone !== undefined) throw badRequest(`'${gone.email}' is no longer using Parley.`);
    context.typing.add({
      op,
      senderId: caller.userId,
      recipientIds,
    });
    return {};
  },
);
