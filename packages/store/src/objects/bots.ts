/** Bots as their owners and administrators see them. */
import { botTypes } from '@parley/api';
import type { ManagedBot, botDefaults } from '@parley/api/people';
import type { BotDetails, BotService, User } from '../index.ts';

import { avatarUrl } from './accounts.ts';

/** @returns the default streams of a bot's messages and queues */
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

/** @returns the `services` of a bot (reference facts, events 13.2): the address that an outgoing-webhook bot calls */
export function botServicesJson(
  bot: User,
  service: BotService | undefined,
): ManagedBot['services'] {
  if (bot.botType !== botTypes.outgoingWebhook || service === undefined) return [];
  return [{ base_url: service.baseUrl, interface: service.interface, token: service.token ?? '' }];
}

/** The secret members of a bot, which the log holds only encrypted. */
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
