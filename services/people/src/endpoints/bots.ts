import {
  changeBotEndpoint,
  createBotEndpoint,
  deactivateBotEndpoint,
  listBotsEndpoint,
  regenerateBotKeyEndpoint,
} from '@parley/api/people';
import { CallerReads } from '@parley/database';
import {
  changeBot,
  createBot,
  deactivateAccount,
  findOneFile,
  prepareProof,
  replaceApiKey,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { avatarUrl, botDefaultsJson } from '@parley/store/objects';
import { listBots, readBotDetails } from '@parley/store';

/** GET bots (reference facts, people 8). */
export const listBotsHandler = implement(
  listBotsEndpoint,
  async (context: PeopleContext, { caller, signal }) => {
    // In one snapshot: a stream that becomes private is removed from bots, and may get another name at the same time.
    const details = await new CallerReads(context.pool, signal).snapshot(async (client) => {
      const bots = (await listBots(client, caller.userId)).filter(({ isActive }) => isActive);
      return readBotDetails(client, context.keySecrets, bots);
    });
    return {
      bots: details.map((item) => ({
        username: item.bot.email,
        full_name: item.bot.fullName,
        api_key: item.apiKey,
        avatar_url: avatarUrl(item.bot),
        ...botDefaultsJson(item),
      })),
    };
  },
);

/** POST bots (reference facts, people 8). */
export const createBotHandler = implement(
  createBotEndpoint,
  async (context: PeopleContext, request) => {
    const { caller, parameters } = request;
    const created = await createBot(context, caller, {
      fullName: parameters.full_name,
      shortName: parameters.short_name,
      botType: parameters.bot_type,
      payloadUrl: parameters.payload_url,
      serviceName: parameters.service_name,
      config: parameters.config_data,
      interfaceType: parameters.interface_type,
      defaultSendingStream: parameters.default_sending_stream,
      defaultEventsRegisterStream: parameters.default_events_register_stream,
      defaultAllPublicStreams: parameters.default_all_public_streams,
      avatar: await findOneFile(request),
    });
    return {
      user_id: created.bot.id,
      email: created.bot.email,
      api_key: created.apiKey,
      avatar_url: avatarUrl(created.bot),
      ...botDefaultsJson(created),
    };
  },
);

/** PATCH bots/{bot_id} (reference facts, people 8). */
export const changeBotHandler = implement(
  changeBotEndpoint,
  async (context: PeopleContext, request) => {
    const { caller, parameters } = request;
    const { config_data: config } = parameters;
    const changed = await changeBot(context, caller, parameters.bot_id, {
      fullName: parameters.full_name,
      ownerId: parameters.bot_owner_id,
      config,
      payloadUrl: parameters.service_payload_url,
      interfaceType: parameters.service_interface,
      defaultSendingStream: parameters.default_sending_stream,
      defaultEventsRegisterStream: parameters.default_events_register_stream,
      defaultAllPublicStreams: parameters.default_all_public_streams,
      avatar: await findOneFile(request),
    });
    return {
      full_name: changed.bot.fullName,
      avatar_url: avatarUrl(changed.bot),
      service_interface: parameters.service_interface,
      service_payload_url: parameters.service_payload_url ?? null,
      config_data: config ?? null,
      ...botDefaultsJson(changed),
      ...(changed.owner !== undefined && { bot_owner: changed.owner.email }),
    };
  },
);

/** DELETE bots/{bot_id} (reference facts, people 8). */
export const deactivateBotHandler = implement(
  deactivateBotEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await deactivateAccount(context, caller, parameters.bot_id, 'bot');
    return {};
  },
);

/** POST bots/{bot_id}/api_key/regenerate (reference facts, people 8). */
export const regenerateBotKeyHandler = implement(
  regenerateBotKeyEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const prove = await prepareProof(context, caller, parameters.password);
    return { api_key: await replaceApiKey(context, caller, prove, parameters.bot_id) };
  },
);
