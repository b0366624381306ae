import { createBot } from '@parley/people';

import { accountJson, getAccount } from '../account.ts';
import type { Command } from '../command.ts';
import { withOrganization } from '../connections.ts';

const kinds = { generic: 1, 'incoming-webhook': 2, 'outgoing-webhook': 3 } as const;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];

export const createBotCommand: Command = {
  name: 'bot create',
  summary: 'Create a bot for a person',
  positionals: ['SHORT_NAME'],
  options: {
    owner: { value: 'EMAIL', help: "the owner's address", required: true },
    'full-name': { value: 'NAME', help: 'the name that others see', required: true },
    type: { value: 'TYPE', help: `${kindNames.join(', ')}; by default generic` },
    'payload-url': { value: 'URL', help: 'where an outgoing webhook sends requests' },
    service: { value: 'NAME', help: "name of a webhook's service or integration" },
  },
  details:
    "Its address consists of the short name and the server's host. The rules are those for its owner, who must not be a guest.",
  run: async (call, { env }) => {
    const kind = call.findChoice('type', kindNames) ?? 'generic';
    return withOrganization(env, async (context) => {
      const owner = await getAccount(context.pool, call.get('owner'));
      const caller = {
        userId: owner.id,
        email: owner.email,
        role: owner.role,
        botType: owner.botType,
        botOwnerId: owner.botOwnerId,
      };
      const { bot, apiKey } = await createBot(context, caller, {
        shortName: call.word(0),
        fullName: call.get('full-name'),
        botType: kinds[kind],
        payloadUrl: call.find('payload-url') ?? '',
        serviceName: call.find('service') ?? '',
        config: {},
        interfaceType: 1,
        defaultSendingStream: undefined,
        defaultEventsRegisterStream: undefined,
        defaultAllPublicStreams: false,
        avatar: undefined,
      });
      return {
        text: `${bot.email} is user ${bot.id}, a bot of ${owner.deliveryEmail}.\nAPI key: ${apiKey}\n`,
        json: { ...accountJson(bot), api_key: apiKey },
      };
    });
  },
};
