import { provenByOperator, replaceApiKey } from '@parley/people';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { findApiKey, renewStoredSecrets, sumStoredSecrets } from '@parley/store';
import type { StoredSecretCounts, StoredSecrets } from '@parley/store';

import { getAccount } from '../account.ts';
import type { Command } from '../command.ts';
import { readConfig, withDatabase, withOrganization } from '../connections.ts';
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
      const key = await replaceApiKey(context, caller, provenByOperator);
      return { text: `${key}\n`, json: { email: user.deliveryEmail, api_key: key } };
    }),
};

const idsListedMax = 20;

/** What is stored, and how a person gets a new one in place of one that opens under no secret. */
const storedSecrets: Readonly<
  Record<keyof StoredSecrets, readonly [what: string, renewal: string]>
> = {
  api_keys: ['API keys of accounts', 'parley key rotate'],
  bot_services: ['Services of bots', 'the settings of the bot'],
  invitations: ['Links of invitations', 'revoke the link and make another'],
  mails: ['Waiting mails', 'the next attempt gives them up'],
  push_keys: [
    'Keys for push services',
    'the next start of people makes new ones, and browsers subscribe again',
  ],
};

function describeCounts(
  kind: keyof StoredSecrets,
  { current, previous, unreadable }: StoredSecretCounts,
): string {
  const [what, renewal] = storedSecrets[kind];
  const ids = unreadable.slice(0, idsListedMax).join(', ');
  const more = unreadable.length > idsListedMax ? ', ...' : '';
  return [
    `${what}: ${current} under PARLEY_KEY_SECRET, ${previous} left under PARLEY_KEY_SECRET_PREVIOUS`,
    ...(unreadable.length === 0
      ? []
      : [`, ${unreadable.length} under neither (${ids}${more}; new ones: ${renewal})`]),
    '\n',
  ].join('');
}

const countsJson = ({
  current,
  previous,
  unreadable,
}: StoredSecretCounts): Readonly<Record<string, unknown>> => ({
  current,
  previous,
  unreadable_ids: unreadable,
});

const reencryptKeys: Command = {
  name: 'key reencrypt',
  summary: 'Encrypt all that is stored under the key secret again under PARLEY_KEY_SECRET',
  details: [
    'For the replacement of the key secret (deploy/runbook.md), when every process has the new one as PARLEY_KEY_SECRET and the old one',
    'as PARLEY_KEY_SECRET_PREVIOUS. Keys do not change, and services may run meanwhile. It may be stopped and run again: it prints how',
    'much is left, and ends with 1 while anything is. Without PARLEY_KEY_SECRET_PREVIOUS it prints whether that is still needed.',
  ].join('\n'),
  run: async (_call, { env, signal }) => {
    const { keySecret, keySecretPrevious } = readConfig(env);
    const secrets = deriveKeySecrets(keySecret.reveal(), keySecretPrevious?.reveal());
    const { renewed, found } = await withDatabase(env, (pool) =>
      renewStoredSecrets(pool, secrets, signal),
    );
    const { previous, unreadable } = sumStoredSecrets(found);
    const left = previous + unreadable;
    const kinds = Object.keys(found) as (keyof StoredSecrets)[];
    return {
      text: [
        `Stored anew: ${renewed}\n`,
        ...kinds.map((kind) => describeCounts(kind, found[kind])),
        ...(left === 0
          ? []
          : [
              'Not done: set the secret under which the rest was stored as PARLEY_KEY_SECRET_PREVIOUS, see that every process has the new\n',
              'PARLEY_KEY_SECRET, and run this again.\n',
            ]),
      ].join(''),
      json: {
        renewed,
        left,
        ...Object.fromEntries(kinds.map((kind) => [kind, countsJson(found[kind])])),
      },
      exitCode: left === 0 ? 0 : 1,
    };
  },
};

export const keyCommands: readonly Command[] = [showKey, rotateKey, reencryptKeys];
