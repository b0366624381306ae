/** Messages with what belongs to them, written in bulk by an import (part of the modules that own these tables). */
import { foldName } from '@parley/api';
import type { Client } from '@parley/database';

import { noteMessageTimesDisorder } from '../lists/message-times.ts';
import type { EditRecord } from '../messages/edits.ts';

/** A message of an import, with the columns that its rendering gave. */
export type ImportedMessage = {
  readonly id: number;
  readonly sender_id: number;
  readonly stream_id: number | null;
  readonly conversation_id: number;
  readonly recipient_id: number;
  readonly topic: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly client: string;
  /** Unix time with fractions. */
  readonly sent_at: number;
  readonly is_me_message: boolean;
  readonly has_link: boolean;
  readonly has_image: boolean;
  readonly has_attachment: boolean;
  readonly read_by_sender: boolean;
  readonly mentions_wildcard: boolean;
  readonly subject_links: readonly string[] | null;
  readonly last_edited_at: number | null;
  readonly edit_history: readonly EditRecord[] | null;
  readonly search_words: string;
};

const messageTypes = `id bigint, sender_id integer, stream_id integer, conversation_id bigint, recipient_id integer, topic text,
  content text, rendered_content text, client text, sent_at double precision, is_me_message boolean, has_link boolean,
  has_image boolean, has_attachment boolean, read_by_sender boolean, mentions_wildcard boolean, subject_links text[],
  last_edited_at double precision, edit_history jsonb, search_words text`;

/**
 * Writes messages.
 *
 * @param positionAbove what is added to an id for the message's position in the log
 * @returns the ids that were not there yet
 */
export async function insertImportedMessages(
  client: Client,
  messages: readonly ImportedMessage[],
  positionAbove: number,
): Promise<Set<number>> {
  const { rows } = await client.query<{ id: number }>({
    name: 'imports-messages',
    text: `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic,
        content, rendered_content, client, sent_at, is_me_message, has_link, has_image, has_attachment, read_by_sender,
        mentions_wildcard, subject_links, last_edited_at, edit_history, search)
      SELECT id, $2::bigint + id, sender_id, stream_id, conversation_id, conversation_id, recipient_id, topic, content,
        rendered_content, client, to_timestamp(sent_at), is_me_message, has_link, has_image, has_attachment, read_by_sender,
        mentions_wildcard, subject_links, to_timestamp(last_edited_at), edit_history,
        message_words_vector(search_words, stream_id, conversation_id, sender_id, id)
      FROM json_to_recordset($1::json) AS r (${messageTypes})
      ON CONFLICT (id) DO NOTHING RETURNING id`,
    values: [JSON.stringify(messages), positionAbove],
  });
  return new Set(rows.map(({ id }) => id));
}

/** A past edit of an imported message, oldest first for each message. */
export type ImportedEdit = {
  readonly message_id: number;
  readonly editor_id: number;
  readonly edited_at: number;
  readonly topic: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly prev_topic: string | null;
  readonly prev_content: string | null;
  readonly prev_rendered_content: string | null;
  readonly content_html_diff: string | null;
};

export async function insertImportedEdits(
  client: Client,
  edits: readonly ImportedEdit[],
): Promise<void> {
  if (edits.length === 0) return;
  await client.query({
    name: 'imports-edits',
    text: `INSERT INTO message_edits (message_id, editor_id, edited_at, topic, content, rendered_content, prev_topic, prev_content,
        prev_rendered_content, content_html_diff)
      SELECT message_id, editor_id, to_timestamp(edited_at), topic, content, rendered_content, prev_topic, prev_content,
        prev_rendered_content, content_html_diff
      FROM json_to_recordset($1::json) AS r (message_id bigint, editor_id integer, edited_at double precision, topic text,
        content text, rendered_content text, prev_topic text, prev_content text, prev_rendered_content text,
        content_html_diff text)`,
    values: [JSON.stringify(edits)],
  });
}

/** A file that a message links to. */
export type ImportedLink = { readonly messageId: number; readonly pathId: string };

export async function linkImportedFiles(
  client: Client,
  links: readonly ImportedLink[],
): Promise<void> {
  if (links.length === 0) return;
  await client.query({
    name: 'imports-links',
    text: `INSERT INTO message_uploads (message_id, path_id) SELECT * FROM unnest($1::bigint[], $2::text[])
      ON CONFLICT DO NOTHING`,
    values: [links.map(({ messageId }) => messageId), links.map(({ pathId }) => pathId)],
  });
}

/** The widget of a message, in the name of its sender. */
export type ImportedWidget = {
  readonly messageId: number;
  readonly senderId: number;
  readonly content: string;
};

export async function insertImportedWidgets(
  client: Client,
  widgets: readonly ImportedWidget[],
): Promise<void> {
  if (widgets.length === 0) return;
  await client.query({
    name: 'imports-widgets',
    text: `INSERT INTO submessages (message_id, sender_id, msg_type, content)
      SELECT w.message_id, w.sender_id, 'widget', w.content
      FROM unnest($1::bigint[], $2::integer[], $3::text[]) w (message_id, sender_id, content)`,
    values: [
      widgets.map(({ messageId }) => messageId),
      widgets.map(({ senderId }) => senderId),
      widgets.map(({ content }) => content),
    ],
  });
}

/** Flags of one holder of a message that do not follow from the message. */
export type ImportedFlags = {
  readonly userId: number;
  readonly messageId: number;
  readonly setBits: number;
  readonly clearedBits: number;
};

export async function insertImportedFlags(
  client: Client,
  flags: readonly ImportedFlags[],
): Promise<void> {
  if (flags.length === 0) return;
  await client.query({
    name: 'imports-flags',
    text: `INSERT INTO message_flags (user_id, message_id, set_bits, cleared_bits, scope)
      SELECT f.user_id, f.message_id, f.set_bits, f.cleared_bits, m.scope
      FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[]) f (user_id, message_id, set_bits, cleared_bits)
      JOIN messages m ON m.id = f.message_id
      ON CONFLICT (user_id, message_id) DO UPDATE SET set_bits = message_flags.set_bits | excluded.set_bits`,
    values: [
      flags.map(({ userId }) => userId),
      flags.map(({ messageId }) => messageId),
      flags.map(({ setBits }) => setBits),
      flags.map(({ clearedBits }) => clearedBits),
    ],
  });
}

export type ImportedReaction = {
  readonly messageId: number;
  readonly userId: number;
  readonly name: string;
  readonly code: string;
  readonly type: string;
  /** Unix time; null if the source has none. */
  readonly reactedAt: number | null;
};

/**
 * Writes reactions in the given order. A person reacts once with a picture, and once with a name; the others are not written.
 *
 * @returns which were written, and which have no message, by their numbers in the list
 */
export async function insertImportedReactions(
  client: Client,
  reactions: readonly ImportedReaction[],
): Promise<{ readonly written: ReadonlySet<number>; readonly missing: ReadonlySet<number> }> {
  if (reactions.length === 0) return { written: new Set(), missing: new Set() };
  const messageIds = reactions.map(({ messageId }) => messageId);
  const { rows: withoutMessage } = await client.query<{ n: number }>({
    name: 'imports-reactions-missing',
    text: `SELECT r.n::int - 1 AS n FROM unnest($1::bigint[]) WITH ORDINALITY r (message_id, n)
      WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.message_id)`,
    values: [messageIds],
  });
  const { rows: inserted } = await client.query<{ key: string }>({
    name: 'imports-reactions',
    text: `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type, reacted_at)
      SELECT r.message_id, r.user_id, r.emoji_name, r.emoji_code, r.reaction_type, coalesce(to_timestamp(r.at), m.sent_at)
      FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::double precision[])
        WITH ORDINALITY r (message_id, user_id, emoji_name, emoji_code, reaction_type, at, n)
      JOIN messages m ON m.id = r.message_id ORDER BY r.n
      ON CONFLICT DO NOTHING RETURNING message_id || ' ' || user_id || ' ' || reaction_type || ' ' || emoji_code AS key`,
    values: [
      messageIds,
      reactions.map(({ userId }) => userId),
      reactions.map(({ name }) => name),
      reactions.map(({ code }) => code),
      reactions.map(({ type }) => type),
      reactions.map(({ reactedAt }) => reactedAt),
    ],
  });
  // Of equal ones the first was written.
  const keys = new Set(inserted.map(({ key }) => key));
  const written = [...reactions.keys()].filter((n) => {
    const { messageId, userId, type, code } = reactions[n] ?? {};
    return keys.delete(`${messageId} ${userId} ${type} ${code}`);
  });
  return { written: new Set(written), missing: new Set(withoutMessage.map(({ n }) => n)) };
}

export type TopicOfStream = { readonly streamId: number; readonly topic: string };

/** @returns the conversation of each topic, in the given order, made if it is new; topics that fold to one are one conversation */
export async function ensureImportedTopics(
  client: Client,
  topics: readonly TopicOfStream[],
): Promise<number[]> {
  if (topics.length === 0) return [];
  const { rows } = await client.query<{ id: number }>({
    name: 'imports-topics',
    text: `WITH wanted AS MATERIALIZED (
        SELECT * FROM unnest($1::integer[], $2::text[]) WITH ORDINALITY w (stream_id, topic_folded, n)
      ), made AS (
        INSERT INTO conversations (stream_id, topic_folded)
        SELECT DISTINCT w.stream_id, w.topic_folded FROM wanted w
        WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.stream_id = w.stream_id AND c.topic_folded = w.topic_folded)
        RETURNING id, stream_id, topic_folded
      ), known AS (
        SELECT id, stream_id, topic_folded FROM made
        UNION ALL SELECT c.id, c.stream_id, c.topic_folded FROM conversations c
          JOIN (SELECT DISTINCT stream_id, topic_folded FROM wanted) w USING (stream_id, topic_folded)
      )
      SELECT k.id FROM wanted w JOIN known k USING (stream_id, topic_folded) ORDER BY w.n`,
    values: [topics.map(({ streamId }) => streamId), topics.map(({ topic }) => foldName(topic))],
  });
  return rows.map(({ id }) => id);
}

/**
 * Notes the first message of each stream and the newest of each conversation, which sends and services note otherwise, and how far ids do
 * not follow time.
 */
export async function noteImportedMessages(client: Client): Promise<void> {
  await noteMessageTimesDisorder(client);
  await client.query(`INSERT INTO stream_first_messages (stream_id, message_id)
      SELECT stream_id, min(id) FROM messages WHERE stream_id IS NOT NULL GROUP BY stream_id`);
  await client.query(`INSERT INTO conversation_newest (conversation_id, stream_id, message_id)
      SELECT read_conversation_id, max(stream_id), max(id) FROM messages GROUP BY 1`);
  await client.query(
    'UPDATE conversation_newest_upto SET message_id = greatest(message_id, (SELECT max(id) FROM messages))',
  );
}
