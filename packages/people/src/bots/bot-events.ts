import type { BotChange, ManagedBot } from '@parley/api/people';
import type { Audience, EventPart } from '@parley/event-log';
import { sealEventMembers } from '@parley/auth/secrets';
import { realmBotJson, realmBotSecrets } from '@parley/store/objects';
import type { KeySecrets } from '@parley/auth/secrets';
import type { BotDetails } from '@parley/store';

import { removedPerson, toUsers } from '../accounts/account-events.ts';

/** The parts of log entries about bots, for those who manage them (reference facts, events 13.2). */

/**
 * The recipients of events about a bot: its owner and all human administrators, whose register lists contain it. The reference excludes
 * administrators if a default stream is private (reference facts, events 10, BOTVIEW), which makes their lists outdated.
 *
 * @param administratorIds of `lockAdministratorsInUse`
 */
export function botViewers(details: BotDetails, administratorIds: readonly number[]): number[] {
  const owner = details.bot.botOwnerId === null ? [] : [details.bot.botOwnerId];
  return [...new Set([...owner, ...administratorIds])];
}

/** @param userIds for whom the bot is new */
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

/** For the former owner of a bot. */
export function botWithdrawn(details: BotDetails, userIds: readonly number[]): EventPart {
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

/** An update of a secret member, which the log holds only encrypted. */
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
