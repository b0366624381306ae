import { botDefaults, objectOf } from '@parley/api-schemas';
import { serviceInterfaces, botTypes } from '@parley/contracts';
import { transaction } from '@parley/database';
import {
  defineEndpoint,
  exampleVariables,
  json,
  jsonBoolean,
  jsonInteger,
  jsonOrText,
  pathInteger,
  text,
} from '@parley/http';
import { avatarUrl, listBots, readBotDetails } from '@parley/store';

import { findOneFile } from '../avatars/avatar-files.ts';
import { deactivateAccount } from '../accounts/deactivate-account.ts';
import { replaceApiKey } from '../accounts/replace-api-key.ts';
import { changeBot } from '../bots/change-bot.ts';
import { createBot } from '../bots/create-bot.ts';
import type { PresenceContext } from '../context.ts';
import { emptyAnswer } from './empty-answer.ts';
import { ofTexts } from './texts-parameter.ts';

const owners = { authentication: 'required', guests: 'refused', bots: 'refused' } as const;
const botId = pathInteger('bot_id', { description: 'The id of the bot' });
const streamName = { type: ['string', 'null'], description: 'name of a stream' } as const;
const urlMaxLength = 2000;
const serviceNameMaxLength = 100;

/** GET bots (reference facts, people 8). */
export const listBotsEndpoint = defineEndpoint({
  name: 'list-bots',
  method: 'GET',
  path: '/bots',
  summary: "List the caller's own active bots with their keys",
  access: owners,
  parameters: [],
  response: {
    type: 'object',
    properties: {
      bots: {
        type: 'array',
        items: objectOf(
          {
            username: { type: 'string', description: 'Email address' },
            full_name: { type: 'string' },
            api_key: { type: 'string' },
            avatar_url: { type: 'string' },
            ...botDefaults,
          },
          {},
          { name: 'OwnBot' },
        ),
      },
    },
    required: ['bots'],
  },
  handler: async (context: PresenceContext, { caller }) => {
    // Of one moment: a stream that becomes private meanwhile is taken from bots, and may get another name with that.
    const details = await transaction(
      context.pool,
      async (client) => {
        const bots = (await listBots(client, caller.userId)).filter(({ isActive }) => isActive);
        return readBotDetails(client, context.keySecrets, bots);
      },
      'REPEATABLE READ, READ ONLY',
    );
    return {
      bots: details.map((item) => ({
        username: item.bot.email,
        full_name: item.bot.fullName,
        api_key: item.apiKey,
        avatar_url: avatarUrl(item.bot),
        default_sending_stream: item.defaultSendingStream,
        default_events_register_stream: item.defaultEventsRegisterStream,
        default_all_public_streams: item.bot.defaultAllPublicStreams,
      })),
    };
  },
});

/** POST bots (reference facts, people 8). */
export const createBotEndpoint = defineEndpoint({
  name: 'create-bot',
  method: 'POST',
  path: '/bots',
  summary: 'Create a bot of which the caller is the owner',
  description: 'A multipart form may bring one picture as a file.',
  example: { parameters: { full_name: 'Weather Bot', short_name: 'weather', bot_type: 1 } },
  access: owners,
  parameters: [
    text('full_name', { required: true, description: 'No active account may have it' }),
    text('short_name', { required: true, description: 'The start of its address' }),
    jsonInteger('bot_type', {
      default: botTypes.generic,
      description: '1 generic, 2 incoming webhook, 3 outgoing webhook',
    }),
    jsonOrText('payload_url', {
      default: '',
      schema: { type: 'string', format: 'url', maxLength: urlMaxLength },
      description: 'Where an outgoing-webhook bot reports to',
    }),
    jsonOrText('service_name', {
      default: '',
      schema: { type: 'string', maxLength: serviceNameMaxLength },
      description: 'The name of its service, or the integration of an incoming-webhook bot',
    }),
    ofTexts(json('config_data', { type: 'object' }, { default: {}, description: 'Texts by name' })),
    jsonInteger('interface_type', {
      default: serviceInterfaces.generic,
      description: '1 generic, 2 Slack',
    }),
    text('default_sending_stream', { description: 'The name of a stream' }),
    text('default_events_register_stream', { description: 'The name of a stream' }),
    jsonBoolean('default_all_public_streams', {
      default: false,
      description: 'Its event queues listen to all public streams',
    }),
  ],
  formFile: 'optional',
  response: {
    type: 'object',
    properties: {
      user_id: { type: 'integer' },
      email: { type: 'string' },
      api_key: { type: 'string' },
      avatar_url: { type: 'string' },
      default_sending_stream: streamName,
      default_events_register_stream: streamName,
      default_all_public_streams: { type: 'boolean' },
    },
    required: ['user_id', 'email', 'api_key', 'avatar_url'],
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'BAD_IMAGE'],
  handler: async (context: PresenceContext, { caller, parameters, formFiles }) => {
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
      avatar: await findOneFile(formFiles),
    });
    return {
      user_id: created.bot.id,
      email: created.bot.email,
      api_key: created.apiKey,
      avatar_url: avatarUrl(created.bot),
      default_sending_stream: created.defaultSendingStream,
      default_events_register_stream: created.defaultEventsRegisterStream,
      default_all_public_streams: created.bot.defaultAllPublicStreams,
    };
  },
});

/** PATCH bots/{bot_id} (reference facts, people 8). */
export const changeBotEndpoint = defineEndpoint({
  name: 'change-bot',
  method: 'PATCH',
  path: '/bots/:bot_id',
  summary: 'Change a bot',
  description:
    'For its owner and administrators. A multipart form may bring one picture as a file.',
  example: {
    parameters: {
      bot_id: exampleVariables.botId,
      full_name: 'Wind Bot',
      default_sending_stream: 'boatyard',
    },
  },
  access: owners,
  parameters: [
    botId,
    text('full_name', { description: 'No other active account may have it' }),
    jsonInteger('bot_owner_id', { description: 'The new owner' }),
    ofTexts(json('config_data', { type: 'object' }, { description: 'Texts by name; others stay' })),
    jsonOrText('service_payload_url', {
      schema: { type: 'string', format: 'url', maxLength: urlMaxLength },
      description: 'Where an outgoing-webhook bot reports to',
    }),
    jsonInteger('service_interface', {
      default: serviceInterfaces.generic,
      description: '1 generic, 2 Slack; goes with service_payload_url',
    }),
    text('default_sending_stream', { description: 'The name of a stream; empty for none' }),
    text('default_events_register_stream', { description: 'The name of a stream; empty for none' }),
    jsonBoolean('default_all_public_streams', {
      description: 'Its event queues listen to all public streams',
    }),
  ],
  formFile: 'optional',
  response: {
    type: 'object',
    properties: {
      full_name: { type: 'string' },
      avatar_url: { type: 'string' },
      service_interface: { type: 'integer', description: 'as given' },
      service_payload_url: { type: ['string', 'null'], description: 'as given' },
      config_data: { type: ['object', 'null'], description: 'as given' },
      default_sending_stream: streamName,
      default_events_register_stream: streamName,
      default_all_public_streams: { type: 'boolean' },
      bot_owner: { type: 'string', description: 'email address, if it has one' },
    },
    required: ['full_name', 'avatar_url', 'service_interface', 'default_all_public_streams'],
  },
  errors: ['BAD_REQUEST', 'BAD_IMAGE'],
  handler: async (context: PresenceContext, { caller, parameters, formFiles }) => {
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
      avatar: await findOneFile(formFiles),
    });
    return {
      full_name: changed.bot.fullName,
      avatar_url: avatarUrl(changed.bot),
      service_interface: parameters.service_interface,
      service_payload_url: parameters.service_payload_url ?? null,
      config_data: config ?? null,
      default_sending_stream: changed.defaultSendingStream,
      default_events_register_stream: changed.defaultEventsRegisterStream,
      default_all_public_streams: changed.bot.defaultAllPublicStreams,
      ...(changed.owner !== undefined && { bot_owner: changed.owner.email }),
    };
  },
});

/** DELETE bots/{bot_id} (reference facts, people 8). */
export const deactivateBotEndpoint = defineEndpoint({
  name: 'deactivate-bot',
  method: 'DELETE',
  path: '/bots/:bot_id',
  summary: 'Deactivate a bot',
  description: 'For its owner and administrators. Its key stops working at once.',
  example: { parameters: { bot_id: exampleVariables.botId } },
  access: owners,
  parameters: [botId],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await deactivateAccount(context, caller, parameters.bot_id, 'bot');
    return {};
  },
});

/** POST bots/{bot_id}/api_key/regenerate (reference facts, people 8). */
export const regenerateBotKeyEndpoint = defineEndpoint({
  name: 'regenerate-bot-api-key',
  method: 'POST',
  path: '/bots/:bot_id/api_key/regenerate',
  summary: "Replace a bot's API key",
  description: 'For its owner and administrators. The old key stops working at once.',
  example: { parameters: { bot_id: exampleVariables.botId } },
  access: owners,
  parameters: [botId],
  response: { type: 'object', properties: { api_key: { type: 'string' } }, required: ['api_key'] },
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => ({
    api_key: await replaceApiKey(context, caller, parameters.bot_id),
  }),
});
