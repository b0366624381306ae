import { replaceApiKey } from '@parley/presence';
import { findApiKey } from '@parley/store';

import { getAccount } from '../account.ts';
import type { Command } from '../command.ts';
import { withOrganization } from '../connections.ts';
import { CommandFault } from '../faults.ts';

const showKey: Command = {
  name: 'key show',
  summary: 'Print the API key of a person or bot',
  positionals: ['EMAIL'],
  run: async (call, { env }) =>
    withOrganization(env, async ({ pool, keySecrets }) => {
      const user = await getAccount(pool, call.word(0));
      const key = await findApiKey(pool, keySecrets, user.id).catch((error: unknown) => {
        throw new CommandFault(
          'The key was stored under another PARLEY_KEY_SECRET: set the one that the services have',
          { cause: error },
        );
      });
      if (key === undefined) throw new CommandFault(`${user.deliveryEmail} has no API key`);
      return { text: `${key}\n`, json: { email: user.deliveryEmail, api_key: key } };
    }),
};

const rotateKey: Command = {
  name: 'key rotate',
  summary: 'Replace the API key of a person or bot, and print the new one',
  positionals: ['EMAIL'],
  details: 'The old key stops working at once.',
  run: async (call, { env }) =>
    withOrganization(env, async (context) => {
      const user = await getAccount(context.pool, call.word(0));
      if (!user.isActive)
        throw new CommandFault(
          `${user.deliveryEmail} is deactivated: its key works no more, and changes after parley user reactivate`,
        );
      const caller = {
        userId: user.id,
        email: user.email,
        role: user.role,
        botType: user.botType,
        botOwnerId: user.botOwnerId,
      };
      const key = await replaceApiKey(context, caller);
      return { text: `${key}\n`, json: { email: user.deliveryEmail, api_key: key } };
    }),
};

export const keyCommands: readonly Command[] = [showKey, rotateKey];
