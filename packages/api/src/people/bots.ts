import { Type } from 'typebox';

import { botTypes, serviceInterfaces } from '../bots.ts';
import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import {
  booleanParameter,
  integerParameter,
  jsonOrTextParameter,
  pathInteger,
  textParameter,
} from '../declare/parameters.ts';
import {
  described,
  integer,
  listOf,
  object,
  optional,
  text,
  textOrNull,
} from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { botDefaults } from './objects.ts';
import { pictureUpload } from './pictures.ts';
import { ownPassword, proofRefusal } from './sign-in.ts';
import { textsParameter } from './texts-parameter.ts';

/** Bots, for their owners and administrators (reference facts, people 8). */

const access = { authentication: 'required', guests: 'refused', bots: 'refused' } as const;
const botPath = '/bots/{bot_id}';
const botId = pathInteger('bot_id', { description: 'The id of the bot' });
const serviceUrlSchema = {
  type: 'string',
  format: 'url',
  maxLength: limits.botServiceUrlMaxCodePoints,
} as const;

/** GET bots (reference facts, people 8). */
export const listBotsEndpoint = declareEndpoint({
  name: 'list-bots',
  method: 'GET',
  path: '/bots',
  service: 'people',
  tag: 'Bots',
  summary: "List the caller's own active bots with their keys",
  access,
  parameters: [],
  success: object({
    bots: listOf(
      object(
        {
          username: described(text, 'Email address'),
          full_name: text,
          api_key: text,
          avatar_url: text,
          ...botDefaults,
        },
        { name: 'OwnBot' },
      ),
    ),
  }),
});

/** POST bots (reference facts, people 8). */
export const createBotEndpoint = declareEndpoint({
  name: 'create-bot',
  method: 'POST',
  path: '/bots',
  service: 'people',
  tag: 'Bots',
  summary: 'Create a bot with the caller as owner',
  description: 'A multipart form may contain one picture as a file.',
  example: {
    parameters: { full_name: 'Weather Bot', short_name: 'weather', bot_type: botTypes.generic },
  },
  access,
  parameters: [
    textParameter('full_name', { required: true, description: 'No active account may have it' }),
    textParameter('short_name', { required: true, description: 'The start of its address' }),
    integerParameter('bot_type', {
      default: botTypes.generic,
      description: '1 generic, 2 incoming webhook, 3 outgoing webhook',
    }),
    jsonOrTextParameter('payload_url', {
      default: '',
      schema: serviceUrlSchema,
      description: 'The address that an outgoing-webhook bot posts to',
    }),
    jsonOrTextParameter('service_name', {
      default: '',
      schema: { type: 'string', maxLength: limits.botServiceNameMaxCodePoints },
      description: 'The name of its service, or the integration of an incoming-webhook bot',
    }),
    textsParameter('config_data', { default: {}, description: 'Texts by name' }),
    integerParameter('interface_type', {
      default: serviceInterfaces.generic,
      description: '1 generic, 2 Slack',
    }),
    textParameter('default_sending_stream', { description: 'The name of a stream' }),
    textParameter('default_events_register_stream', { description: 'The name of a stream' }),
    booleanParameter('default_all_public_streams', {
      default: false,
      description: 'Its event queues listen to all public streams',
    }),
  ],
  file: 'optional',
  success: object({
    user_id: integer,
    email: text,
    api_key: text,
    avatar_url: text,
    ...botDefaults,
  }),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'BAD_IMAGE'],
  ...pictureUpload,
});

/** PATCH bots/{bot_id} (reference facts, people 8). */
export const changeBotEndpoint = declareEndpoint({
  name: 'change-bot',
  method: 'PATCH',
  path: botPath,
  service: 'people',
  tag: 'Bots',
  summary: 'Change a bot',
  description:
    'For its owner and administrators. A multipart form may contain one picture as a file.',
  example: {
    parameters: {
      bot_id: exampleVariables.botId,
      full_name: 'Wind Bot',
      default_sending_stream: 'boatyard',
    },
  },
  access,
  parameters: [
    botId,
    textParameter('full_name', { description: 'No other active account may have it' }),
    integerParameter('bot_owner_id', {
      description:
        'The new owner, who must not be a guest. The bot gets at most the role of its owner. It gets another key if it loses a role, or if an owner who is not an administrator transfers it',
    }),
    textsParameter('config_data', { description: 'Texts by name; others stay unchanged' }),
    jsonOrTextParameter('service_payload_url', {
      schema: serviceUrlSchema,
      description: 'The address that an outgoing-webhook bot posts to',
    }),
    integerParameter('service_interface', {
      default: serviceInterfaces.generic,
      description: '1 generic, 2 Slack; only with service_payload_url',
    }),
    textParameter('default_sending_stream', {
      description: 'The name of a stream; empty for none',
    }),
    textParameter('default_events_register_stream', {
      description: 'The name of a stream; empty for none',
    }),
    booleanParameter('default_all_public_streams', {
      description: 'Its event queues listen to all public streams',
    }),
  ],
  file: 'optional',
  success: object({
    full_name: text,
    avatar_url: text,
    service_interface: described(integer, 'as given'),
    service_payload_url: described(textOrNull, 'as given'),
    config_data: Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      additionalProperties: text,
      description: 'as given',
    }),
    ...botDefaults,
    ...optional({ bot_owner: described(text, 'email address, if it has one') }),
  }),
  errors: ['BAD_REQUEST', 'BAD_IMAGE'],
  ...pictureUpload,
});

/** DELETE bots/{bot_id} (reference facts, people 8). */
export const deactivateBotEndpoint = declareEndpoint({
  name: 'deactivate-bot',
  method: 'DELETE',
  path: botPath,
  service: 'people',
  tag: 'Bots',
  summary: 'Deactivate a bot',
  description: 'For its owner and administrators. Its key stops working at once.',
  example: { parameters: { bot_id: exampleVariables.botId } },
  access,
  parameters: [botId],
  success: object({}),
  errors: ['BAD_REQUEST'],
  afterLoss: 'repeat',
});

/** POST bots/{bot_id}/api_key/regenerate (reference facts, people 8). */
export const regenerateBotKeyEndpoint = declareEndpoint({
  name: 'regenerate-bot-api-key',
  method: 'POST',
  path: `${botPath}/api_key/regenerate`,
  service: 'people',
  tag: 'Bots',
  summary: "Replace a bot's API key",
  description: 'For its owner and administrators. The old key stops working at once.',
  example: {
    parameters: { bot_id: exampleVariables.botId, password: exampleVariables.password },
  },
  access,
  parameters: [botId, ownPassword],
  success: object({ api_key: text }),
  errors: ['BAD_REQUEST'],
  refusals: [proofRefusal],
  judgesPassword: true,
});
