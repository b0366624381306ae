import type { Queryable } from '@parley/database';

import { openSecret, sealSecret } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

/**
 * The addresses that outgoing-webhook bots post to, and the configuration of bots (owner of `bot_services`; reference facts, people 8 and
 * 18).
 */

export type BotService = {
  readonly botId: number;
  /** The service's name; for an incoming-webhook bot, the name of its integration, or empty. */
  readonly name: string;
  /** Empty until one is set. */
  readonly baseUrl: string;
  /** 1 generic, 2 Slack. */
  readonly interface: number;
  /** Posts of the bot contain it as proof of their origin; null for bots that do not post. */
  readonly token: string | null;
  readonly config: Readonly<Record<string, string>>;
};

/** The purpose and the account for which the columns are encrypted. */
export const tokenPurpose = (botId: number | string): string => `service token of ${botId}`;
export const configPurpose = (botId: number | string): string => `configuration of ${botId}`;

/** Stores a bot's service, replacing an earlier one. The caller has locked or created the bot. */
export async function setBotService(
  db: Queryable,
  secrets: KeySecrets,
  service: BotService,
): Promise<void> {
  const { botId, token, config } = service;
  await db.query({
    text: `INSERT INTO bot_services (bot_id, name, base_url, interface, token_encrypted, config_encrypted)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (bot_id) DO UPDATE SET name = excluded.name, base_url = excluded.base_url, interface = excluded.interface,
        token_encrypted = excluded.token_encrypted, config_encrypted = excluded.config_encrypted`,
    values: [
      botId,
      service.name,
      service.baseUrl,
      service.interface,
      token === null ? null : sealSecret(secrets, token, tokenPurpose(botId)),
      Object.keys(config).length === 0
        ? null
        : sealSecret(secrets, JSON.stringify(config), configPurpose(botId)),
    ],
  });
}

/** @returns the existing services of the bots, by bot */
export async function findBotServices(
  db: Queryable,
  secrets: KeySecrets,
  botIds: readonly number[],
): Promise<Map<number, BotService>> {
  const { rows } = await db.query<
    Pick<BotService, 'botId' | 'name' | 'baseUrl' | 'interface'> & {
      token: Buffer | null;
      config: Buffer | null;
    }
  >({
    name: 'store-find-bot-services',
    text: `SELECT bot_id AS "botId", name, base_url AS "baseUrl", interface, token_encrypted AS token, config_encrypted AS config
      FROM bot_services WHERE bot_id = ANY ($1::int[])`,
    values: [botIds],
  });
  return new Map(
    rows.map((row) => [
      row.botId,
      {
        ...row,
        token: row.token && openSecret(secrets, row.token, tokenPurpose(row.botId)),
        config:
          row.config === null
            ? {}
            : (JSON.parse(openSecret(secrets, row.config, configPurpose(row.botId))) as Record<
                string,
                string
              >),
      },
    ]),
  );
}

/** The encrypted columns of a bot's row, or their contents. */
type BotSecrets<Form> = { readonly token: Form | null; readonly config: Form | null };

/**
 * Decrypts the columns `token_encrypted` and `config_encrypted` of a bot's row.
 *
 * @returns their texts
 * @throws Error if they were stored under another secret
 */
export function openBotSecrets(
  secrets: KeySecrets,
  botId: number,
  { token, config }: BotSecrets<Buffer>,
): BotSecrets<string> {
  return {
    token: token && openSecret(secrets, token, tokenPurpose(botId)),
    config: config && openSecret(secrets, config, configPurpose(botId)),
  };
}

/** The reverse of `openBotSecrets`, for import. */
export function sealBotSecrets(
  secrets: KeySecrets,
  botId: number,
  { token, config }: BotSecrets<string>,
): BotSecrets<Buffer> {
  return {
    token: token === null ? null : sealSecret(secrets, token, tokenPurpose(botId)),
    config: config === null ? null : sealSecret(secrets, config, configPurpose(botId)),
  };
}
