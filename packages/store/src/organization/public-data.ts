/**
 * The organization's public data as rows of the reference server's export format (import facts, Zulip 4 to 7; decision 0056). Postgres writes
 * each row as JSON text, so nothing of it is held here.
 */
import type { Queryable } from '@parley/database';

import { publicStreamsSql } from '../visibility/visibility-sql.ts';

const secs = (time: string): string => `extract(epoch FROM ${time})::float8`;

const publicStreams = `(SELECT st.* FROM streams st WHERE st.id IN (${publicStreamsSql})) s`;

/** Files that messages of public streams link to. */
const linkedUploads = `(SELECT mu.path_id, array_agg(mu.message_id ORDER BY mu.message_id) AS message_ids
  FROM message_uploads mu JOIN messages m ON m.id = mu.message_id JOIN ${publicStreams} ON s.id = m.stream_id GROUP BY mu.path_id) linked
  JOIN uploads u ON u.path_id = linked.path_id`;

const roleNumber = `CASE u.role WHEN 'administrator' THEN 200 WHEN 'guest' THEN 600 ELSE 400 END`;

/**
 * Queries with one column, the row as JSON. What says who did, read, wants or sees something for himself alone is left out: settings of
 * people, read state, mutes, presence; and so are keys, hashes and secrets, which no query here names.
 */
const queries = {
  zerver_realm: `SELECT json_build_object('id', r.id, 'name', r.name, 'string_id', r.string_id, 'description', r.description,
      'date_created', ${secs('r.created_at')}, 'deactivated', false)
    FROM realm r`,
  zerver_userprofile: `SELECT json_build_object('id', u.id, 'realm', 1, 'email', u.email, 'delivery_email', coalesce(u.delivery_email, u.email),
      'recipient', u.recipient_id, 'full_name', u.full_name, 'short_name', u.short_name,
      'date_joined', floor(extract(epoch FROM u.date_joined))::bigint, 'role', ${roleNumber}, 'is_active', u.is_active,
      'is_bot', u.bot_type IS NOT NULL, 'bot_type', u.bot_type, 'bot_owner', u.bot_owner_id, 'timezone', u.timezone,
      'avatar_source', 'G', 'avatar_version', 1, 'is_mirror_dummy', false, 'long_term_idle', false)
    FROM users u WHERE NOT u.is_system ORDER BY u.id`,
  zerver_userprofile_crossrealm: `SELECT json_build_object('id', u.id, 'email', u.email, 'recipient_id', u.recipient_id)
    FROM users u WHERE u.is_system ORDER BY u.id`,
  zerver_stream: `SELECT json_build_object('id', s.id, 'realm', 1, 'name', s.name, 'date_created', ${secs('s.created_at')},
      'deactivated', false, 'description', s.description, 'rendered_description', s.rendered_description,
      'recipient', s.recipient_id, 'invite_only', false, 'history_public_to_subscribers', true, 'is_web_public', s.is_web_public,
      'is_announcement_only', s.is_announcement_only, 'is_in_zephyr_realm', false, 'message_retention_days', null,
      'first_message_id', f.message_id)
    FROM ${publicStreams} LEFT JOIN stream_first_messages f ON f.stream_id = s.id ORDER BY s.id`,
  zerver_recipient: `SELECT json_build_object('id', s.recipient_id, 'type', 2, 'type_id', s.id) FROM ${publicStreams} ORDER BY s.id`,
  zerver_subscription: `SELECT json_build_object('id', row_number() OVER (), 'user_profile', b.user_id, 'recipient', s.recipient_id,
      'active', true, 'is_muted', false, 'color', '#c2c2c2', 'pin_to_top', false)
    FROM ${publicStreams} JOIN subscriptions b ON b.stream_id = s.id AND b.is_active`,
  zerver_defaultstream: `SELECT json_build_object('id', s.id, 'realm', 1, 'stream', s.id) FROM ${publicStreams} WHERE s.is_default ORDER BY s.id`,
  zerver_realmemoji: `SELECT json_build_object('id', e.id, 'author', e.author_id, 'realm', 1, 'name', e.name, 'file_name', e.file_name,
      'deactivated', e.is_deactivated)
    FROM realm_emoji e ORDER BY e.id`,
  zerver_realmfilter: `SELECT json_build_object('id', l.id, 'realm', 1, 'pattern', l.pattern, 'url_format_string', l.url_format)
    FROM linkifiers l ORDER BY l.id`,
  zerver_reaction: `SELECT json_build_object('id', r.id, 'user_profile', r.user_id, 'message', r.message_id, 'emoji_name', r.emoji_name,
      'reaction_type', r.reaction_type, 'emoji_code', r.emoji_code)
    FROM reactions r JOIN messages m ON m.id = r.message_id JOIN ${publicStreams} ON s.id = m.stream_id`,
  zerver_attachment: `SELECT json_build_object('id', u.id, 'realm', 1, 'file_name', u.file_name, 'path_id', u.path_id, 'owner', u.owner_id,
      'create_time', ${secs('u.created_at')}, 'size', u.size_bytes, 'is_realm_public', true, 'messages', linked.message_ids)
    FROM ${linkedUploads}`,
  'uploads/records': `SELECT json_build_object('realm_id', 1, 'user_profile_id', u.owner_id, 's3_path', u.path_id, 'path', u.path_id,
      'size', u.size_bytes, 'last_modified', ${secs('u.created_at')}, 'content_type', u.content_type)
    FROM ${linkedUploads}`,
  'emoji/records': `SELECT json_build_object('realm_id', 1, 'author', e.author_id, 'path', '1/emoji/images/' || e.file_name,
      's3_path', '1/emoji/images/' || e.file_name, 'file_name', e.file_name, 'name', e.name, 'deactivated', e.is_deactivated)
    FROM realm_emoji e ORDER BY e.id`,
} as const;

export type PublicRows = keyof typeof queries;

/** Rows of a cursor that are in memory at once. */
const rowsAtOnce = 1_000;

/**
 * Reads rows in the order of the format, some at a time.
 *
 * @param snapshot where nothing else reads rows of this kind meanwhile
 * @returns each as JSON text
 */
export async function* readPublicRows(
  snapshot: Queryable,
  rows: PublicRows,
): AsyncGenerator<string, void, undefined> {
  const cursor = rows.replace('/', '_');
  await snapshot.query({
    text: `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT q::text FROM (${queries[rows]}) found (q)`,
  });
  for (;;) {
    const fetched = await snapshot.query<{ q: string }>({
      text: `FETCH ${rowsAtOnce} FROM ${cursor}`,
    });
    for (const { q } of fetched.rows) yield q;
    if (fetched.rows.length < rowsAtOnce) break;
  }
  await snapshot.query({ text: `CLOSE ${cursor}` });
}

export type PublicMessage = {
  readonly id: number;
  readonly client: string;
  /** JSON text of the row without `sending_client`, which is known under a number in the format. */
  readonly row: string;
};

/**
 * @param withHistory whether earlier texts are public, too
 * @returns messages of public streams in the order of their ids
 */
export async function listPublicMessages(
  snapshot: Queryable,
  afterId: number,
  messagesMax: number,
  withHistory: boolean,
): Promise<PublicMessage[]> {
  const { rows } = await snapshot.query<PublicMessage>({
    text: `SELECT m.id, m.client, json_build_object('id', m.id, 'sender', m.sender_id, 'recipient', s.recipient_id, 'subject', m.topic,
        'content', m.content, 'rendered_content', m.rendered_content, 'rendered_content_version', 1, 'date_sent', ${secs('m.sent_at')},
        'last_edit_time', ${secs('m.last_edited_at')}, 'edit_history', CASE WHEN $3 THEN m.edit_history::text END,
        'has_attachment', m.has_attachment, 'has_image', m.has_image, 'has_link', m.has_link)::text AS row
      FROM messages m JOIN ${publicStreams} ON s.id = m.stream_id WHERE m.id > $1 ORDER BY m.id LIMIT $2`,
    values: [afterId, messagesMax, withHistory],
  });
  return rows;
}
