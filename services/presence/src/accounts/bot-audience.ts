import type { Audience } from '@parley/contracts';
import type { Queryable } from '@parley/database';
import { findStreamsByIds, listUsers } from '@parley/store';
import type { User } from '@parley/store';

/**
 * Who is told of a bot's own matters (reference facts, events 10, BOTVIEW): its owner and all human administrators, or its owner
 * alone when one of its default streams is private.
 */
export async function botAudience(db: Queryable, bot: User): Promise<Audience> {
  const owner = bot.botOwnerId === null ? [] : [bot.botOwnerId];
  const streams = await findStreamsByIds(
    db,
    [bot.defaultSendingStreamId, bot.defaultEventsRegisterStreamId].filter((id) => id !== null),
  );
  if (streams.some((stream) => stream.inviteOnly)) return { to: 'users', userIds: owner };
  const administrators = (await listUsers(db))
    .filter((user) => user.isActive && user.botType === null && user.role === 'administrator')
    .map((user) => user.id);
  return { to: 'users', userIds: [...new Set([...owner, ...administrators])] };
}
