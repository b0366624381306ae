/**
 * A long history, created by SQL: messages in streams and private conversations, memberships as periods with a change each, flags
 * and read state. Everything is derived from the messages' ids, so two databases of one size are alike.
 */
import type { Pool } from '@parley/database';

/** People of the history; each reader has another read state. Members are in all streams, guests in one. */
export const historyPeople = {
  /** Members: everything read; nothing read; one old message unread; a twentieth of everything unread. */
  memberRead: 1,
  memberUnread: 2,
  memberOneUnread: 3,
  memberSomeUnread: 4,
  /** Guests: everything read; nothing read. */
  guestRead: 5,
  guestUnread: 6,
  /** Senders: of a twentieth of all messages; of one in a hundred; of one in two thousand; of three; in no stream of the guests. */
  commonSender: 11,
  someSender: 12,
  rareSender: 13,
  hardlySender: 14,
  elsewhereSender: 15,
} as const;

export const historyStreams = 200;
export const guestStream = 7;
const topicsPerStream = 5;
const people = 1_000;
const changesCount = 100_000;
const privateConversations = 1_000;

// A number from 0 to 1 that depends on the id and the salt only.
const random = (id: string, salt: number): string =>
  `((hashint8extended(${id}, ${salt}) & 2147483647)::float8 / 2147483648)`;

/** Words of a searchable history: in twenty messages, in a tenth of all, and in all. */
export const historyWords = { rare: 'quokka', common: 'release', everywhere: 'message' } as const;

function statements(messages: number, isSearchable: boolean): string[] {
  const { memberRead, guestRead, guestUnread, memberUnread, memberOneUnread, memberSomeUnread } =
    historyPeople;
  const { commonSender, someSender, rareSender, hardlySender, elsewhereSender } = historyPeople;
  const readers = `generate_series(${memberRead}, ${guestUnread})`;
  const topics = historyStreams * topicsPerStream;
  const words = ` || CASE WHEN g.id % ${Math.trunc(messages / 20)} = 11 THEN '${historyWords.rare} ' ELSE '' END
          || CASE WHEN g.id % 10 = 3 THEN '${historyWords.common} ' ELSE '' END`;
  return [
    `INSERT INTO realm (id, string_id, name) VALUES (1, '', 'History')`,
    `INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name, role)
      SELECT n, 'u' || n || '@example.com', 'U' || n || '@EXAMPLE.COM', 'User ' || n, 'USER ' || n, 'u' || n,
        CASE WHEN n IN (${guestRead}, ${guestUnread}) THEN 'guest' ELSE 'member' END FROM generate_series(1, ${people}) n`,
    `INSERT INTO streams (id, name, name_folded, email_token, invite_only, history_public_to_subscribers)
      SELECT n, 'stream ' || n, 'STREAM ' || n, 'token ' || n, n % 10 = 0, n % 20 <> 0 FROM generate_series(1, ${historyStreams}) n`,
    // Changes are spread over the first half of the history.
    `INSERT INTO changes (id, position, message_id)
      SELECT n, n * 20, n * ${messages}::bigint / ${changesCount * 2} FROM generate_series(1, ${changesCount}) n`,
    `SELECT setval('change_ids', ${changesCount * 2})`,
    // A member joined each stream by a separate change, and has left and rejoined every tenth stream. Guests joined once.
    `INSERT INTO membership_periods (user_id, stream_id, from_change_id, until_change_id)
      SELECT u, s, (u * 37 + s * 397) % 80000 + 1, CASE WHEN s % 10 = 3 THEN (u * 37 + s * 397) % 80000 + 10000 END
      FROM generate_series(1, ${people}) u, generate_series(1, ${historyStreams}) s
      WHERE CASE WHEN u <= ${memberSomeUnread} THEN true WHEN u <= ${guestUnread} THEN s = ${guestStream} ELSE (u * 7 + s * 13) % 10 = 0 END`,
    `INSERT INTO membership_periods (user_id, stream_id, from_change_id)
      SELECT p.user_id, p.stream_id, p.until_change_id + 9000 FROM membership_periods p WHERE p.until_change_id IS NOT NULL`,
    `INSERT INTO subscriptions (user_id, stream_id, is_active, color) SELECT DISTINCT user_id, stream_id, true, '#c2c2c2' FROM membership_periods`,
    `INSERT INTO account_periods (user_id, role, is_active, from_change_id) SELECT id, role, true, 1 FROM users`,
    // Four topics have the same name in all streams, the fifth only in one.
    `INSERT INTO conversations (id, stream_id, topic_folded)
      SELECT (s - 1) * ${topicsPerStream} + t, s, CASE WHEN t = ${topicsPerStream} THEN 'ONLY ' || s ELSE 'TOPIC ' || t END
      FROM generate_series(1, ${historyStreams}) s, generate_series(1, ${topicsPerStream}) t`,
    // Each reader shares a tenth of a hundred conversations with every sender; a fifth of them are groups.
    `INSERT INTO conversations (id, participant_ids, recipient_id)
      SELECT ${topics} + n, ARRAY(SELECT DISTINCT p FROM unnest(CASE
          WHEN n > 600 THEN ARRAY[100 + n % 400, 500 + n % 401]
          WHEN n % 5 = 0 THEN ARRAY[1 + n / 100, ${commonSender} + n % 2, 20 + n] ELSE ARRAY[1 + n / 100, 20 + n] END) p ORDER BY p),
        CASE WHEN n <= 600 AND n % 5 = 0 THEN nextval('recipient_ids') END
      FROM generate_series(1, ${privateConversations}) n WHERE n / 100 < ${guestUnread} OR n > 600`,
    `INSERT INTO conversation_participants (user_id, conversation_id)
      SELECT unnest(participant_ids), id FROM conversations WHERE participant_ids IS NOT NULL`,
    `SELECT setval(pg_get_serial_sequence('conversations', 'id'), 10000), setval(pg_get_serial_sequence('users', 'id'), 10000),
      setval(pg_get_serial_sequence('streams', 'id'), 10000)`,
    `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
        rendered_content, client, sent_at, has_link, has_image, has_attachment, read_by_sender, mentions_wildcard,
        group_mentioned_ids, alert_word_ids, search)
      SELECT g.id, 2000000 + g.id, t.sender, s.stream, now_in.conversation, c.conversation, 1, t.topic, t.body, '<p>' || t.body || '</p>',
        'website', parley_now() - (${messages} - g.id) * interval '30 s',
        ${random('g.id', 5)} < 0.3 OR g.id % ${Math.trunc(messages / 5)} = 77, g.id % ${Math.trunc(messages / 5)} = 77, false,
        g.id % 2 = 0, g.id % 500 = 0,
        -- Every fiftieth mentions one of twenty groups of thirty people; all readers but the first are in the first group.
        CASE WHEN g.id % 50 = 1 THEN (SELECT array_agg(u ORDER BY u) FROM generate_series(1, ${people}) u
          WHERE CASE WHEN u <= ${guestUnread} THEN (g.id / 50) % 20 = 0 AND u > 1 ELSE u % 33 = (g.id / 50) % 20 END) END,
        -- Every thirtieth contains alert words of one of sixty sets of people; all readers but the first are in five of the sets.
        CASE WHEN g.id % 30 = 1 THEN (SELECT array_agg(u ORDER BY u) FROM generate_series(1, 100) u
          WHERE CASE WHEN u <= ${guestUnread} THEN (g.id / 30) % 60 < 5 AND u > 1 ELSE u % 60 = (g.id / 30) % 60 END) END,
        ${isSearchable ? `message_words_vector(array_to_string(tsvector_to_array(to_tsvector('english', t.topic || ' ' || t.body)), ' '), s.stream, now_in.conversation, t.sender, g.id)` : `''`}
      FROM generate_series(1, ${messages}::bigint) g (id)
      CROSS JOIN LATERAL (SELECT CASE WHEN ${random('g.id', 1)} < 0.05 THEN NULL
        ELSE 1 + floor(${historyStreams} * power(${random('g.id', 2)}, 1.3))::int END AS stream) s
      CROSS JOIN LATERAL (SELECT CASE WHEN s.stream IS NULL
        THEN ${topics} + 1 + floor((${privateConversations} - 1) * ${random('g.id', 3)})::int
        ELSE (s.stream - 1) * ${topicsPerStream} + 1 + floor(${topicsPerStream} * power(${random('g.id', 3)}, 2))::int END AS conversation) c
      -- A few were moved to the first topic of their stream.
      CROSS JOIN LATERAL (SELECT CASE WHEN s.stream IS NOT NULL AND g.id % 1500 = 9 THEN (s.stream - 1) * ${topicsPerStream} + 1
        ELSE c.conversation END AS conversation) now_in
      CROSS JOIN LATERAL (SELECT CASE
          WHEN s.stream IS NULL THEN (SELECT p.participant_ids[1 + g.id % cardinality(p.participant_ids)] FROM conversations p WHERE p.id = c.conversation)
          WHEN g.id % 20 = 3 THEN ${commonSender} WHEN g.id % 100 = 4 THEN ${someSender} WHEN g.id % 2000 = 5 THEN ${rareSender}
          WHEN g.id % ${Math.trunc(messages / 3)} = 6 THEN ${hardlySender}
          WHEN g.id % 20 = 7 AND s.stream <> ${guestStream} THEN ${elsewhereSender}
          ELSE 20 + floor(${people - 20} * ${random('g.id', 4)})::int END AS sender,
        CASE WHEN s.stream IS NULL THEN '' WHEN (now_in.conversation - 1) % ${topicsPerStream} = ${topicsPerStream - 1} THEN 'only ' || s.stream
          ELSE 'topic ' || 1 + (now_in.conversation - 1) % ${topicsPerStream} END AS topic,
        repeat('some words of a message ', 2 + (g.id % 9)::int)${isSearchable ? words : ''} AS body) t
      WHERE t.sender IS NOT NULL`,
    `INSERT INTO stream_first_messages SELECT stream_id, min(id) FROM messages WHERE stream_id IS NOT NULL GROUP BY 1`,
    // It does not contain the newest messages yet, as between two runs of maintenance.
    `UPDATE conversation_newest_upto SET message_id = ${messages - 300}`,
    `INSERT INTO conversation_newest SELECT read_conversation_id, max(stream_id), max(id) FROM messages
      WHERE id <= ${messages - 300} GROUP BY read_conversation_id`,
    `INSERT INTO log_entries (position, length, message_id, audience, payload) VALUES (${Math.min(1_900_000, messages)}, 1, ${messages}, 0, '{}')`,
    // Stars and mentions by name: 5,000 each for the second reader, 500 for the third, five for the fourth. A guest has 5,000
    // mentions, mostly in streams without that guest.
    `INSERT INTO message_flags (user_id, message_id, set_bits, scope)
      SELECT u.id, m.id, bit_or(u.bits), m.scope FROM (VALUES (${memberUnread}, 2, 5000), (${memberUnread}, 8, 5000), (${memberOneUnread}, 2, 500),
          (${memberOneUnread}, 8, 500), (${memberSomeUnread}, 2, 5), (${memberSomeUnread}, 8, 5), (${guestUnread}, 2, 2000), (${guestUnread}, 8, 5000)) u (id, bits, n)
      CROSS JOIN LATERAL generate_series(1, u.n) k
      JOIN messages m ON m.id = (u.id * 31 + u.bits * 7 + k * (${messages} / u.n)::bigint) % ${messages} + 1
      WHERE u.bits = 8 OR u.id <> ${guestUnread} OR m.stream_id = ${guestStream}
      GROUP BY u.id, m.id, m.scope`,
    `INSERT INTO message_flags (user_id, message_id, set_bits, scope)
      SELECT 20 + floor(${people - 20} * ${random('m.id', 6)})::int, m.id, 8, m.scope FROM messages m WHERE m.id % 20 = 11 ON CONFLICT DO NOTHING`,
    `INSERT INTO read_users (user_id) SELECT id FROM users`,
    // All who read have a watermark in every conversation, inserted in a random order.
    `INSERT INTO read_watermarks (user_id, conversation_id, message_id)
      SELECT u, newest.conversation_id, CASE WHEN u = ${memberSomeUnread} THEN (newest.id * 0.95)::bigint ELSE newest.id END
      FROM (SELECT read_conversation_id AS conversation_id, max(stream_id) AS stream_id, max(id) AS id FROM messages GROUP BY 1) newest,
        (SELECT ${readers} AS u UNION ALL SELECT generate_series(20, 120)) everybody
      WHERE u NOT IN (${memberUnread}, ${guestUnread}) AND (u <> ${guestRead} OR newest.stream_id = ${guestStream} OR newest.stream_id IS NULL)
        AND (newest.stream_id IS NOT NULL OR u IN (SELECT p.user_id FROM conversation_participants p WHERE p.conversation_id = newest.conversation_id))
      ORDER BY hashint8extended(newest.conversation_id, u)`,
    // Every reader with a watermark has some messages that are unread or read out of order.
    `INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
      SELECT ${memberOneUnread}, m.id, m.read_conversation_id, m.stream_id, false
      FROM messages m WHERE m.id = (SELECT o.id FROM messages o WHERE o.stream_id = 3 AND o.id > ${messages} * 6 / 10 ORDER BY o.id LIMIT 1)`,
    `INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
      SELECT ${memberSomeUnread}, m.id, m.read_conversation_id, m.stream_id, true FROM messages m
      JOIN read_watermarks w ON w.user_id = ${memberSomeUnread} AND w.conversation_id = m.read_conversation_id
      WHERE m.id > w.message_id AND m.id > ${messages} * 0.97 AND m.id % 4 = 0 AND m.stream_id IS NOT NULL`,
    `INSERT INTO late_receipts (user_id, message_id) SELECT u, m.id FROM messages m, ${readers} u
      WHERE m.id % ${Math.trunc(messages / 40)} = 999 AND m.stream_id <> ${guestStream} AND m.stream_id % 10 <> 0 AND m.id < ${messages} / 50 * 10 ON CONFLICT DO NOTHING`,
    `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
      SELECT m.id, 20 + m.id % 900, 'tada', '1f389', 'unicode_emoji' FROM messages m WHERE m.id % 20 = 13`,
    // Some streams and topics are muted: few by the first member, all by the third.
    `UPDATE subscriptions SET is_muted = true WHERE user_id = ${memberOneUnread} OR (user_id = ${memberRead} AND stream_id % 10 = 1)`,
    `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
      SELECT ${memberRead}, c.stream_id, c.topic_folded, c.topic_folded FROM conversations c WHERE c.id % 9 = 0 AND c.stream_id IS NOT NULL`,
    `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
      SELECT ${memberSomeUnread}, c.stream_id, c.topic_folded, c.topic_folded FROM conversations c WHERE c.id <> 500 AND c.stream_id IS NOT NULL`,
  ];
}

/**
 * Fills an empty, migrated database. A million messages take some minutes.
 *
 * @param options.isSearchable whether words can be searched, which takes longer; plans of narrows without words do not need it
 */
export async function makeHistory(
  pool: Pool,
  messages: number,
  options: { readonly isSearchable?: boolean } = {},
): Promise<void> {
  const client = await pool.connect();
  const { isSearchable = false } = options;
  try {
    await client.query('SET statement_timeout = 0');
    // Creating an index at the end takes a fraction of the time of maintaining it for every row.
    const { rows } = await client.query<{ definition: string }>(
      `SELECT pg_get_indexdef('messages_search'::regclass) AS definition`,
    );
    if (isSearchable) await client.query('DROP INDEX messages_search');
    for (const text of statements(messages, isSearchable)) await client.query(text);
    if (isSearchable) await client.query(rows[0]?.definition ?? '');
    // VACUUM marks pages as visible to all only if their commits are on disk, so commits are synchronous, as everywhere.
    await client.query('VACUUM (ANALYZE)');
  } finally {
    client.release(true);
  }
}
