import { botTypes } from '@parley/api';
import type { ManagedBot, botDefaults } from '@parley/api/people';
import type { Client, Queryable } from '@parley/database';

import { findApiKeys } from '../people/api-keys.ts';
import { findBotServices } from './bot-services.ts';
import type { BotService } from './bot-services.ts';
import type { KeySecrets } from '@parley/secrets';
import { findStreamsByIds, lockStreamInUse } from '../streams/streams.ts';
import { avatarUrl } from '../people/user-json.ts';
import { findUsersByIds } from '../people/users.ts';
import type { User } from '../people/users.ts';

/** Bots as those see them who manage them. */

/** A bot with what stands beside its account. */
export type BotDetails = {
  readonly bot: User;
  readonly owner: User | undefined;
  readonly apiKey: string;
  readonly service: BotService | undefined;
  /** Names of the default streams; null for none, and for one that was deactivated. */
  readonly defaultSendingStream: string | null;
  readonly defaultEventsRegisterStream: string | null;
};

/** @returns what belongs to the bots, in their order */
export async function readBotDetails(
  db: Queryable,
  secrets: KeySecrets,
  bots: readonly User[],
): Promise<BotDetails[]> {
  const ids = bots.map(({ id }) => id);
  const keys = await findApiKeys(db, secrets, ids);
  const services = await findBotServices(db, secrets, ids);
  const streams = new Map(
    (
      await findStreamsByIds(
        db,
        bots
          .flatMap((bot) => [bot.defaultSendingStreamId, bot.defaultEventsRegisterStreamId])
          .filter((id) => id !== null),
      )
    )
      .filter((stream) => !stream.isDeactivated)
      .map((stream) => [stream.id, stream]),
  );
  const owners = new Map(
    (
      await findUsersByIds(
        db,
        bots.map(({ botOwnerId }) => botOwnerId).filter((id) => id !== null),
      )
    ).map((owner) => [owner.id, owner]),
  );
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
 * Reads the same in a transaction that tells of the bots: the names of their default streams stay until its end, so that no event
 * names a stream as it was called before an earlier event.
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

/** @returns where a bot's messages and queues go unless it says otherwise */
export function botDefaultsJson({
  bot,
  defaultSendingStream,
  defaultEventsRegisterStream,
}: BotDetails): Pick<ManagedBot, keyof typeof botDefaults> {
  return {
    default_sending_stream: defaultSendingStream,
    default_events_register_stream: defaultEventsRegisterStream,
    default_all_public_streams: bot.defaultAllPublicStreams,
  };
}

/** @returns the `services` of a bot (reference facts, events 13.2): where an outgoing-webhook bot reports to */
export function botServicesJson(
  bot: User,
  service: BotService | undefined,
): ManagedBot['services'] {
  if (bot.botType !== botTypes.outgoingWebhook || service === undefined) return [];
  return [{ base_url: service.baseUrl, interface: service.interface, token: service.token ?? '' }];
}

/** The members of a bot that are secret: they stand in the log only sealed. */
export function realmBotSecrets(details: BotDetails): Pick<ManagedBot, 'api_key' | 'services'> {
  return {
    api_key: details.apiKey,
    services: botServicesJson(details.bot, details.service),
  };
}

/** A bot of `realm_bot`/`add` and of register's `realm_bots` (reference facts, events 13.2) without its secrets and its owner. */
export function realmBotJson(
  details: BotDetails,
): Omit<ManagedBot, 'api_key' | 'services' | 'owner'> {
  const { bot } = details;
  return {
    email: bot.email,
    user_id: bot.id,
    full_name: bot.fullName,
    bot_type: bot.botType ?? botTypes.generic,
    is_active: bot.isActive,
    ...botDefaultsJson(details),
    avatar_url: avatarUrl(bot),
  };
}
