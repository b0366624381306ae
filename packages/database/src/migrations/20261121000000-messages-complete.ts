/** What messages carry beside their text: submessages, uploads, words to be found by; and what reads of unread messages go by. */
export const name = '20261121000000-messages-complete';

export const sql = `
CREATE SEQUENCE submessage_ids;
CREATE TABLE submessages (
  id bigint PRIMARY KEY DEFAULT nextval('submessage_ids'),
  message_id bigint NOT NULL,
  sender_id integer NOT NULL,
  msg_type text NOT NULL,
  content text NOT NULL
);
CREATE INDEX submessages_by_message ON submessages (message_id, id);
COMMENT ON TABLE submessages IS 'owner: store/submessages; ids of those that come with a message are drawn before it is sent';
COMMENT ON COLUMN messages.submessages IS 'unused since submessages have a table; read by releases before it';

CREATE INDEX message_uploads_by_message ON message_uploads (message_id);

-- The words of a message, and where it stands: no text gives a lexeme that begins with an upper-case letter, so one look-up finds
-- words within a stream (S), a conversation (C), of a sender (U) or in a window of 4,096 (W) or 65,536 (B) ids.
CREATE FUNCTION message_search_vector(search_text text, stream_id integer, conversation_id bigint, sender_id integer, message_id bigint)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('english', search_text) || array_to_tsvector(array_remove(ARRAY[
    'S' || stream_id, 'C' || conversation_id, 'U' || sender_id, 'W' || message_id / 4096, 'B' || message_id / 65536], NULL))
$$;
UPDATE messages SET search = search || message_search_vector('', stream_id, conversation_id, sender_id, id);

-- A row for each conversation with the newest message that was ever sent to it (by read_conversation_id; neither a deletion nor a
-- move takes it back). It follows the messages up to conversation_newest_upto, once a second and off the send path, where an
-- update for each send would leave dead versions behind; messages above that id are in no row yet.
CREATE TABLE conversation_newest (
  conversation_id bigint PRIMARY KEY,
  stream_id integer,
  message_id bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX conversation_newest_by_stream ON conversation_newest (stream_id);
CREATE TABLE conversation_newest_upto (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  message_id bigint NOT NULL
);
COMMENT ON TABLE conversation_newest IS 'owner: store/message-upkeep';
COMMENT ON TABLE conversation_newest_upto IS 'owner: store/message-upkeep';
INSERT INTO conversation_newest SELECT read_conversation_id, max(stream_id), max(id) FROM messages GROUP BY read_conversation_id;
INSERT INTO conversation_newest_upto (message_id) SELECT coalesce(max(id), 0) FROM messages;

ALTER TYPE send_item ADD ATTRIBUTE upload_path_ids text[];

-- Sends a batch in one statement: keys, head, ids, rows, entries. Items are judged under the head, where everything committed
-- at lower positions is visible, so that an entry is true of its stream, sender and recipients at its position.
-- outcome: sent; repeated (the key was used for the same content: the first id); reused (the key was used for other content);
-- busy (the key is being used right now); stale (what was checked before no longer holds: check again).
CREATE OR REPLACE FUNCTION send_messages(items json)
RETURNS TABLE (ordinal integer, outcome text, message_id bigint, "position" bigint, epoch integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  batch send_item[];
  busy integer[];
  head record;
BEGIN
  SELECT array_agg(i) INTO batch FROM json_populate_recordset(NULL::send_item, items) i;
  SELECT array_agg(t.ordinal) INTO busy
  FROM (SELECT i.ordinal, pg_try_advisory_xact_lock(hashtextextended(i.send_key, 7)) AS locked FROM unnest(batch) i) t
  WHERE NOT t.locked;
  SELECT * INTO head FROM log_lock_head();
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
    JOIN users sender ON sender.id = i.sender_id
    LEFT JOIN send_keys k ON k.send_key = i.send_key
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
      message_search_vector(search_text, stream_id, conversation_id, sender_id, new_id)
    FROM sent
  ), new_first_messages AS (
    INSERT INTO stream_first_messages (stream_id, message_id)
    SELECT stream_id, min(new_id) FROM sent WHERE may_be_first AND stream_id IS NOT NULL GROUP BY stream_id
    ON CONFLICT DO NOTHING
  ), new_flags AS (
    INSERT INTO message_flags (user_id, message_id, set_bits)
    SELECT u, s.new_id, 8 FROM sent s, unnest(s.mentioned_ids) u
  ), new_receipts AS (
    INSERT INTO late_receipts (user_id, message_id, position)
    SELECT u, s.new_id, s.new_position FROM sent s, unnest(s.late_receipt_ids) u
  ), new_uploads AS (
    INSERT INTO message_uploads (path_id, message_id)
    SELECT DISTINCT p, s.new_id FROM sent s, unnest(s.upload_path_ids) p
  ), new_submessages AS (
    INSERT INTO submessages (id, message_id, sender_id, msg_type, content)
    SELECT b.id, s.new_id, s.sender_id, b.msg_type, b.content
    FROM sent s, jsonb_to_recordset(s.submessages) AS b (id bigint, msg_type text, content text)
  ), new_keys AS (
    INSERT INTO send_keys (send_key, content_hash, message_id, sent_at)
    SELECT send_key, decode(content_hash, 'hex'), new_id, clock_timestamp() FROM sent
  ), new_entries AS (
    INSERT INTO log_entries (position, length, message_id, audience, payload)
    SELECT new_position, 1, new_id, audience, payload FROM sent
  )
  SELECT j.ordinal, j.verdict, coalesce(s.new_id, j.earlier_id), s.new_position, head.epoch
  FROM judged j LEFT JOIN sent s ON s.ordinal = j.ordinal ORDER BY j.ordinal;
END $$;
`;
