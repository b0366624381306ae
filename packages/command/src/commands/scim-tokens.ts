import { operator } from '@parley/store/access';
import { makeScimToken, provenByOperator, revokeScimToken } from '@parley/people';
import { listScimTokens } from '@parley/store/scim';

import type { Command } from '../command.ts';
import { withDatabase, withOrganization } from '../connections.ts';
import { UsageFault } from '../faults.ts';

const createCommand: Command = {
  name: 'scim-token create',
  summary: 'Make a token for an identity provider that keeps accounts by SCIM',
  positionals: ['NAME'],
  details:
    'The provider sends it as a bearer token to /scim/v2. It is printed once, and works until it is revoked.',
  run: async (call, { env }) =>
    withOrganization(env, async (context) => {
      const { id, token } = await makeScimToken(context, operator, provenByOperator, call.word(0));
      return { text: `${token}\nIt is kept nowhere else.\n`, json: { id, token } };
    }),
};

function timeOf(secs: number | null): string {
  return secs === null ? 'never' : new Date(secs * 1000).toISOString();
}

const listCommand: Command = {
  name: 'scim-token list',
  summary: 'List the tokens of identity providers',
  run: async (_call, { env }) =>
    withDatabase(env, async (pool) => {
      const tokens = await listScimTokens(pool);
      const lines = tokens.map(({ id, name, createdAtSecs, lastUsedAtSecs }) => {
        const times = `made ${timeOf(createdAtSecs)}, last used ${timeOf(lastUsedAtSecs)}`;
        return `${String(id).padStart(6)}  ${name}  ${times}\n`;
      });
      return {
        text: lines.join('') || 'There are no tokens.\n',
        json: {
          scim_tokens: tokens.map(({ id, name, makerId, createdAtSecs, lastUsedAtSecs }) => ({
            id,
            name,
            creator_id: makerId,
            created_at: createdAtSecs,
            last_used_at: lastUsedAtSecs,
          })),
        },
      };
    }),
};

const revokeCommand: Command = {
  name: 'scim-token revoke',
  summary: 'Revoke a token of an identity provider, which is refused from then on',
  positionals: ['ID'],
  run: async (call, { env }) =>
    withOrganization(env, async (context) => {
      const id = call.word(0);
      if (!/^\d{1,9}$/.test(id)) throw new UsageFault('ID is a number of parley scim-token list');
      await revokeScimToken(context, operator, Number(id));
      return { text: `Token ${id} is revoked.\n`, json: { id: Number(id) } };
    }),
};

export const scimTokenCommands: readonly Command[] = [createCommand, listCommand, revokeCommand];
