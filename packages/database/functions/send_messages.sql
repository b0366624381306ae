-- Sends a batch in one statement: keys, head, ids, rows, entries. Items are checked under the head, where everything committed
-- at lower positions is visible. So an entry is true of its stream, sender and recipients at its position. Rows that few messages have
-- are inserted by separate statements, because beginning an insert costs more than inserting a row.
--
-- Senders and keys are looked up in sub-selects that OFFSET 0 keeps apart. A plan made while their table was empty, which a connection keeps,
-- would otherwise read all keys for each send.
--
-- Arguments: items: an array of objects with the attributes of the type send_item; absent ones are null.
-- Returns: for each item whose sender exists, in order of its ordinal, an outcome with the message's id and position:
--   sent; repeated (the key was used for the same content: the first id); reused (the key was used for other content);
--   busy (the key is being used right now); stale (the earlier checks no longer hold: check again).
-- Locks: an advisory lock of the transaction for each key, without waiting; then the head of the log, by log_lock_head.
-- Errors: those of log_lock_head, message_search_vector and message_words_vector. Nothing of the batch was sent.

CREATE OR REPLACE FUNCTION send_messages(items json)
RETURNS TABLE (ordinal integer, outcome text, message_id bigint, "position" bigint, epoch integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  batch send_item[];
  busy integer[];
  -- Whether any item has rows beyond those of every message.
  has_more boolean;
  head record;
BEGIN
  SELECT array_agg(i), array_agg(i.ordinal) FILTER (WHERE NOT pg_try_advisory_xact_lock(hashtextextended(i.send_key, 7))),
    bool_or(i.may_be_first OR i.mentioned_ids <> '{}' OR i.late_receipt_ids <> '{}' OR i.read_by_ids <> '{}' OR i.upload_path_ids <> '{}'
      OR i.submessages IS NOT NULL OR i.search_words IS NULL OR i.has_more_words)
  INTO batch, busy, has_more
  FROM json_populate_recordset(NULL::send_item, items) i;
  head := log_lock_head();
  RETURN QUERY
  WITH judged AS (
    SELECT i.*, k.message_id AS earlier_id,
      CASE
        WHEN i.ordinal = ANY (busy) THEN 'busy'
        WHEN k.message_id IS NOT NULL AND k.content_hash = decode(i.content_hash, 'hex') THEN 'repeated'
        WHEN k.message_id IS NOT NULL THEN 'reused'
        WHEN NOT sender.is_active THEN 'stale'
        WHEN i.stream_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM streams s WHERE s.id = i.stream_id AND s.version = i.stream_version AND NOT s.is_deactivated) THEN 'stale'
        WHEN i.authority_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM subscriptions m WHERE m.user_id = i.authority_id AND m.stream_id = i.stream_id AND m.is_active) THEN 'stale'
        WHEN i.participant_ids IS NOT NULL AND EXISTS (
          SELECT 1 FROM users p WHERE p.id = ANY (i.participant_ids) AND NOT p.is_active) THEN 'stale'
        ELSE 'sent'
      END AS verdict
    FROM unnest(batch) i
    CROSS JOIN LATERAL (SELECT u.is_active FROM users u WHERE u.id = i.sender_id OFFSET 0) sender
    LEFT JOIN LATERAL (SELECT e.message_id, e.content_hash FROM send_keys e WHERE e.send_key = i.send_key OFFSET 0) k ON true
  ), sent AS (
    SELECT j.*, head.end_message_id + row_number() OVER (ORDER BY j.ordinal) AS new_id,
      head.end_position + row_number() OVER (ORDER BY j.ordinal) AS new_position
    FROM judged j WHERE j.verdict = 'sent'
  ), new_messages AS (
    INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
      rendered_content, client, sent_at, is_me_message, has_link, has_image, has_attachment, read_by_sender, mentions_wildcard,
      group_mentioned_ids, alert_word_ids, subject_links, search)
    SELECT new_id, new_position, sender_id, stream_id, conversation_id, conversation_id, recipient_id, topic, content,
      rendered_content, client, to_timestamp(sent_at_secs), is_me_message, has_link, has_image, has_attachment, read_by_sender,
      mentions_wildcard, group_mentioned_ids, alert_word_ids, subject_links,
      CASE WHEN search_words IS NULL THEN message_search_vector(search_text, stream_id, conversation_id, sender_id, new_id)
        ELSE message_words_vector(search_words, stream_id, conversation_id, sender_id, new_id) END
    FROM sent
  ), new_keys AS (
    INSERT INTO send_keys (send_key, content_hash, message_id, sent_at)
    SELECT send_key, decode(content_hash, 'hex'), new_id, parley_now() FROM sent
  ), new_entries AS (
    INSERT INTO log_entries (position, length, message_id, audience, payload, brings_calls)
    SELECT new_position, 1, new_id, audience, payload, coalesce(brings_calls, false) FROM sent
  )
  SELECT j.ordinal, j.verdict, coalesce(s.new_id, j.earlier_id), s.new_position, head.epoch
  FROM judged j LEFT JOIN sent s ON s.ordinal = j.ordinal ORDER BY j.ordinal;
  IF has_more THEN
    -- Ids are dense and grow, so keys above the head's newest message are those of this call.
    WITH sent AS (
      SELECT i.*, k.message_id AS new_id, head.end_position + k.message_id - head.end_message_id AS new_position
      FROM unnest(batch) i
      CROSS JOIN LATERAL (SELECT e.message_id FROM send_keys e WHERE e.send_key = i.send_key OFFSET 0) k
      WHERE k.message_id > head.end_message_id
    ), new_first_messages AS (
      INSERT INTO stream_first_messages (stream_id, message_id)
      SELECT stream_id, min(new_id) FROM sent WHERE may_be_first AND stream_id IS NOT NULL GROUP BY stream_id
      ON CONFLICT DO NOTHING
    ), new_flags AS (
      INSERT INTO message_flags (user_id, message_id, scope, set_bits)
      SELECT u, s.new_id, coalesce(s.stream_id::bigint, -s.conversation_id), 8 FROM sent s, unnest(s.mentioned_ids) u
    ), new_receipts AS (
      INSERT INTO late_receipts (user_id, message_id, position)
      SELECT u, s.new_id, s.new_position FROM sent s, unnest(s.late_receipt_ids) u
    ), new_reads AS (
      INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
      SELECT DISTINCT u, s.new_id, s.conversation_id, s.stream_id, true FROM sent s, unnest(s.read_by_ids) u
    ), new_backlog AS (
      INSERT INTO search_backlog (first_id, last_id) SELECT s.new_id, s.new_id FROM sent s WHERE s.search_words IS NULL OR s.has_more_words
    ), new_uploads AS (
      INSERT INTO message_uploads (path_id, message_id)
      SELECT DISTINCT p, s.new_id FROM sent s, unnest(s.upload_path_ids) p
    )
    INSERT INTO submessages (id, message_id, sender_id, msg_type, content)
    SELECT b.id, s.new_id, s.sender_id, b.msg_type, b.content
    FROM sent s, jsonb_to_recordset(s.submessages) AS b (id bigint, msg_type text, content text);
  END IF;
END $$;
