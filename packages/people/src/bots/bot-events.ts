import type { BotChange, ManagedBot } from '@parley/api/people';
import type { Audience, EventPart } from '@parley/event-log';
import { sealEventMembers } from '@parley/secrets';
import { realmBotJson, realmBotSecrets } from '@parley/objects';
import type { KeySecrets } from '@parley/secrets';
import type { BotDetails } from '@parley/store';

import { removedPerson, toUsers } from '../accounts/account-events.ts';

/** The parts of log entries that tell those who manage a bot of it (reference facts, events 13.2). */

/**
 * Who is told of a bot's own matters: its owner and all human administrators, to whom register lists it. The reference leaves
 * administrators out when a default stream is private (reference facts, events 10, BOTVIEW), and their lists go stale.
 *
 * @param administratorIds of `lockAdministratorsInUse`
 */
export function botViewers(details: BotDetails, administratorIds: readonly number[]): number[] {
  const owner = details.bot.botOwnerId === null ? [] : [details.bot.botOwnerId];
  return [...new Set([...owner, ...administratorIds])];
}

/** @param userIds those to whom the bot is new */
export function botAdded(
  secrets: KeySecrets,
  details: BotDetails,
  userIds: readonly number[],
): EventPart {
  return {
    form: 'same',
    audience: { to: 'users', userIds },
    event: {
      type: 'realm_bot',
      op: 'add',
      bot: {
        ...realmBotJson(details),
        ...(details.owner !== undefined && { owner: details.owner.email }),
      },
    },
    sealed: { member: 'bot', text: sealEventMembers(secrets, realmBotSecrets(details)) },
  };
}

export function botRemoved(details: BotDetails, userIds: readonly number[]): EventPart {
  return toUsers(userIds, {
    type: 'realm_bot',
    op: 'remove',
    bot: removedPerson(details.bot),
  });
}

/** For somebody who owns the bot no more. */
export function botTakenAway(details: BotDetails, userIds: readonly number[]): EventPart {
  const { bot } = details;
  return toUsers(userIds, {
    type: 'realm_bot',
    op: 'delete',
    bot: { email: bot.email, user_id: bot.id },
  });
}

export type BotChangeMember = BotChange extends infer Change
  ? Change extends BotChange
    ? Omit<Change, 'email' | 'user_id'>
    : never
  : never;

/** @param change one member */
export function botUpdated(
  details: BotDetails,
  userIds: readonly number[],
  change: BotChangeMember,
): EventPart {
  const { bot } = details;
  return toUsers(userIds, {
    type: 'realm_bot',
    op: 'update',
    bot: { email: bot.email, user_id: bot.id, ...change },
  });
}

/** An update whose member is a secret: it stands in the log only sealed. */
export function botSecretUpdated(
  secrets: KeySecrets,
  details: BotDetails,
  userIds: readonly number[],
  change: Partial<Pick<ManagedBot, 'api_key' | 'services'>>,
): EventPart {
  const { bot } = details;
  const audience: Audience = { to: 'users', userIds };
  return {
    form: 'same',
    audience,
    event: {
      type: 'realm_bot',
      op: 'update',
      bot: { email: bot.email, user_id: bot.id },
    },
    sealed: { member: 'bot', text: sealEventMembers(secrets, change) },
  };
}
