/**
 * The parts of the database in an export. Every table is in one of these lists; a table in none stops the export, so that a new table is
 * never silently forgotten (a test finds it first).
 */
import { openApiKey, openBotSecrets, sealApiKey, sealBotSecrets } from '@parley/store';
import type { KeySecrets } from '@parley/auth/secrets';

import type { ExportCipher } from './export-cipher.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The form of rows with secrets in an export: never under the installation's own secret, but encrypted under the passphrase. */
type SecretRows = {
  readonly toExport: (row: Row, from: KeySecrets, cipher: ExportCipher) => Row;
  readonly toTable: (row: Row, to: KeySecrets, cipher: ExportCipher) => Row;
};

export type ExportedTable = {
  readonly name: string;
  /** By default the primary key. */
  readonly orderBy?: string;
  readonly secrets?: SecretRows;
  /** The migrations insert a row there, which the export's row replaces. */
  readonly hasSeed?: boolean;
};

function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  throw new TypeError('a secret column holds no text');
}

/** Postgres writes bytes into JSON as `\x` and hex digits. */
function bytesOf(value: unknown): Buffer | null {
  const text = textOf(value);
  return text === null ? null : Buffer.from(text.slice(2), 'hex');
}

function hexOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : String.raw`\x` + bytes.toString('hex');
}

const passwords: SecretRows = {
  toExport: (row, _from, cipher) => ({
    ...row,
    password_hash: cipher.encrypt(textOf(row['password_hash']), `password of ${String(row['id'])}`),
  }),
  toTable: (row, _to, cipher) => ({
    ...row,
    password_hash: cipher.decrypt(textOf(row['password_hash']), `password of ${String(row['id'])}`),
  }),
};

const apiKeys: SecretRows = {
  toExport: (row, from, cipher) => {
    const userId = Number(row['user_id']);
    const stored = bytesOf(row['key_encrypted']);
    const key = stored === null ? null : openApiKey(from, stored, userId);
    return {
      user_id: userId,
      created_at: row['created_at'],
      key: cipher.encrypt(key, `api key of ${userId}`),
    };
  },
  toTable: (row, to, cipher) => {
    const userId = Number(row['user_id']);
    const key = cipher.decrypt(textOf(row['key']), `api key of ${userId}`);
    if (key === null) throw new TypeError('an account of the export has an empty key');
    const { hash, encrypted } = sealApiKey(to, key, userId);
    return {
      user_id: userId,
      created_at: row['created_at'],
      key_hash: hexOf(hash),
      key_encrypted: hexOf(encrypted),
    };
  },
};

const botSecrets: SecretRows = {
  toExport: (row, from, cipher) => {
    const botId = Number(row['bot_id']);
    const { token, config } = openBotSecrets(from, botId, {
      token: bytesOf(row['token_encrypted']),
      config: bytesOf(row['config_encrypted']),
    });
    return {
      ...row,
      token_encrypted: cipher.encrypt(token, `token of ${botId}`),
      config_encrypted: cipher.encrypt(config, `configuration of ${botId}`),
    };
  },
  toTable: (row, to, cipher) => {
    const botId = Number(row['bot_id']);
    const sealed = sealBotSecrets(to, botId, {
      token: cipher.decrypt(textOf(row['token_encrypted']), `token of ${botId}`),
      config: cipher.decrypt(textOf(row['config_encrypted']), `configuration of ${botId}`),
    });
    return {
      ...row,
      token_encrypted: hexOf(sealed.token),
      config_encrypted: hexOf(sealed.config),
    };
  },
};

/** In the order of the import: referenced tables come first. */
export const exportedTables: readonly ExportedTable[] = [
  { name: 'realm' },
  { name: 'realm_domains' },
  // Owners of bots before the bots.
  { name: 'users', orderBy: 'bot_owner_id IS NOT NULL, id', secrets: passwords },
  { name: 'api_keys', secrets: apiKeys },
  // Targets of periods, floors and late receipts. Positions and message ids stay the same, so these references stay valid.
  { name: 'changes' },
  { name: 'account_periods' },
  { name: 'custom_profile_fields' },
  { name: 'custom_profile_values' },
  { name: 'user_status' },
  { name: 'avatars' },
  { name: 'linked_identities' },
  { name: 'bot_services', secrets: botSecrets },
  { name: 'bot_storage' },
  { name: 'streams' },
  { name: 'default_stream_groups' },
  { name: 'subscriptions' },
  { name: 'membership_periods' },
  { name: 'muted_topics' },
  { name: 'alert_words' },
  { name: 'user_groups' },
  { name: 'user_group_members' },
  { name: 'realm_emoji' },
  { name: 'linkifiers' },
  { name: 'conversations' },
  { name: 'conversation_participants' },
  { name: 'conversation_newest' },
  { name: 'conversation_newest_upto', hasSeed: true },
  { name: 'messages' },
  { name: 'stream_first_messages' },
  { name: 'submessages' },
  { name: 'message_edits' },
  { name: 'kept_messages' },
  { name: 'reactions' },
  { name: 'message_flags' },
  { name: 'late_receipts' },
  { name: 'read_users' },
  { name: 'read_stream_floors' },
  { name: 'read_watermarks' },
  { name: 'read_exceptions' },
  { name: 'uploads' },
  { name: 'upload_space', hasSeed: true },
  { name: 'message_uploads' },
  // A send that is repeated after the move is still stored only once, and so is a notice whose effect was running.
  { name: 'send_keys' },
  { name: 'deferred_messages' },
  { name: 'drafts' },
  // Nobody is notified twice of a message, and nobody misses a notification because of the move.
  { name: 'told_upto', hasSeed: true },
  { name: 'messages_to_mail' },
  { name: 'mentions_added' },
  { name: 'side_effects' },
  { name: 'search_backlog' },
];

/** With the reason why each is excluded. */
export const excludedTables: Readonly<Record<string, string>> = {
  presence: 'who is there now is no longer true at the import',
  log_head: 'the importing log goes on by itself, in a new epoch',
  log_epochs: 'as log_head',
  log_entries: 'events of the past; queues, which alone need them, are not carried',
  account_changes: 'as log_entries',
  side_effect_cursor: 'as log_head; effects that are not rows yet are carried as rows',
  event_queues: 'clients register anew, as after any new epoch',
  service_leases: 'processes of the other installation',
  account_tokens: 'links of the other installation, whose mails it sends',
  invitations: 'as account_tokens',
  made_counts: 'bounds of a day or less, which begin anew',
  mails: 'the installation that wrote them sends them',
  realm_exports: 'archives of what this export contains too',
  sessions: 'people sign in again in their browsers',
  sign_in_attempts: 'as sessions',
  sign_in_places: 'as sessions',
  scim_tokens: 'programs of identity providers get tokens of the importing installation',
  push_keys: 'those of the other installation, to which its subscriptions belong',
  push_subscriptions: 'as sessions',
  messages_to_push: 'as push_subscriptions',
  rendered_pictures: 'texts that were shown to their writers within the last hour',
  files_to_remove: 'files of no row, which are not carried',
  alert_words_version: 'a trigger draws a new one',
  stream_member_versions: 'a trigger of membership_periods makes them again',
  matched_user_sets: 'a trigger of messages makes them again',
  message_versions: 'what services keep of another epoch of the log counts for nothing',
  shown_names_version: 'a new one is drawn with the schema',
  schema_version: 'the migrations of the importing installation say',
  knex_migrations: 'as schema_version',
  knex_migrations_lock: 'as schema_version',
};
