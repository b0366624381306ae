import type { Client, Queryable } from '@parley/database';

import { findApiKeys } from '../people/api-keys.ts';
import { findBotServices } from './bot-services.ts';
import type { BotService } from './bot-services.ts';
import type { KeySecrets } from '@parley/auth/secrets';
import { findStreamsByIds, lockStreamInUse } from '../streams/streams.ts';
import { findUsersByIds } from '../people/users.ts';
import type { User } from '../people/users.ts';

/** A bot with the data that is stored outside of its account. */
export type BotDetails = {
  readonly bot: User;
  readonly owner: User | undefined;
  readonly apiKey: string;
  readonly service: BotService | undefined;
  /** Names of the default streams; null for none, and for a deactivated one. */
  readonly defaultSendingStream: string | null;
  readonly defaultEventsRegisterStream: string | null;
};

/** @returns the details of the bots, in the same order */
export async function readBotDetails(
  db: Queryable,
  secrets: KeySecrets,
  bots: readonly User[],
): Promise<BotDetails[]> {
  if (bots.length === 0) return [];
  const ids = bots.map(({ id }) => id);
  const streamIds = bots.flatMap((bot) => [
    bot.defaultSendingStreamId,
    bot.defaultEventsRegisterStreamId,
  ]);
  const ownerIds = bots.map(({ botOwnerId }) => botOwnerId);
  const [keys, services, streamsFound, ownersFound] = await Promise.all([
    findApiKeys(db, secrets, ids),
    findBotServices(db, secrets, ids),
    findStreamsByIds(
      db,
      streamIds.filter((id) => id !== null),
    ),
    findUsersByIds(
      db,
      ownerIds.filter((id) => id !== null),
    ),
  ]);
  const streams = new Map(
    streamsFound.filter((stream) => !stream.isDeactivated).map((stream) => [stream.id, stream]),
  );
  const owners = new Map(ownersFound.map((owner) => [owner.id, owner]));
  return bots.map((bot) => {
    const sending = streams.get(bot.defaultSendingStreamId ?? 0);
    const register = streams.get(bot.defaultEventsRegisterStreamId ?? 0);
    return {
      bot,
      owner: owners.get(bot.botOwnerId ?? 0),
      apiKey: keys.get(bot.id) ?? '',
      service: services.get(bot.id),
      defaultSendingStream: sending?.name ?? null,
      defaultEventsRegisterStream: register?.name ?? null,
    };
  });
}

/**
 * Reads the same in a transaction with events about the bots: the names of their default streams stay until its end, so no event names a
 * stream by a name older than that of an earlier event.
 */
export async function lockBotDetails(
  client: Client,
  secrets: KeySecrets,
  bots: readonly User[],
): Promise<BotDetails[]> {
  const streamIds = new Set(
    bots.flatMap((bot) => [bot.defaultSendingStreamId, bot.defaultEventsRegisterStreamId]),
  );
  const ascending = [...streamIds].filter((id) => id !== null).toSorted((a, b) => a - b);
  for (const id of ascending) await lockStreamInUse(client, id);
  return readBotDetails(client, secrets, bots);
}
