/** What the log brings about beside events, and messages that some have read from the start. */
export const name = '20261121000700-side-effects';

export const sql = `
ALTER TABLE log_entries ADD COLUMN has_side_effects boolean NOT NULL DEFAULT false;
CREATE INDEX log_entries_with_side_effects ON log_entries (position) WHERE has_side_effects;

CREATE TABLE side_effects (
  position bigint NOT NULL,
  kind text NOT NULL,
  target integer NOT NULL,
  effect jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Whoever runs it has it until then; a process that died gives it back by doing nothing.
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  last_error text,
  PRIMARY KEY (position, kind, target)
);
CREATE INDEX side_effects_due ON side_effects (due_at);
CREATE TABLE side_effect_cursor (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  position bigint NOT NULL
);
INSERT INTO side_effect_cursor (position) SELECT greatest(h.start_position, coalesce((SELECT max(e.position + e.length - 1) FROM log_entries e), 0)) FROM log_head h;
COMMENT ON TABLE side_effects IS 'owner: store/side-effects; one row for each effect until it has been run';
COMMENT ON TABLE side_effect_cursor IS 'owner: store/side-effects; moves in the transaction that makes the rows, so that no effect is made twice or lost';

-- Appends entries and gives the change its position. Called as the last statement of a transaction, in one round trip with
-- its COMMIT, so that a paused or cut-off process never holds the head.
CREATE FUNCTION log_append(lengths integer[], audiences bigint[], payloads text[], change_id bigint, account_user_ids integer[], side_effects boolean[])
RETURNS TABLE (epoch integer, "position" bigint, message_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
  head record;
BEGIN
  SELECT * INTO head FROM log_lock_head();
  IF change_id IS NOT NULL THEN
    INSERT INTO changes (id, position, message_id) VALUES (change_id, head.end_position + 1, head.end_message_id);
  END IF;
  IF account_user_ids IS NOT NULL THEN
    INSERT INTO account_changes (position, user_id) SELECT DISTINCT head.end_position + 1, u FROM unnest(account_user_ids) u;
  END IF;
  RETURN QUERY
  WITH laid_out AS (
    SELECT n, len, aud, body, does_more, head.end_position + 1 + coalesce(sum(len) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS pos
    FROM unnest(lengths, audiences, payloads, side_effects) WITH ORDINALITY AS t (len, aud, body, does_more, n)
  ), inserted AS (
    INSERT INTO log_entries (position, length, message_id, audience, payload, has_side_effects)
    SELECT pos, len, head.end_message_id, aud, body, does_more FROM laid_out
  )
  SELECT head.epoch, pos, head.end_message_id FROM laid_out ORDER BY n;
END $$;

ALTER TYPE send_item ADD ATTRIBUTE read_by_ids integer[];

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
    INSERT INTO message_flags (user_id, message_id, scope, set_bits)
    SELECT u, s.new_id, coalesce(s.stream_id::bigint, -s.conversation_id), 8 FROM sent s, unnest(s.mentioned_ids) u
  ), new_receipts AS (
    INSERT INTO late_receipts (user_id, message_id, position)
    SELECT u, s.new_id, s.new_position FROM sent s, unnest(s.late_receipt_ids) u
  ), new_reads AS (
    INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
    SELECT DISTINCT u, s.new_id, s.conversation_id, s.stream_id, true FROM sent s, unnest(s.read_by_ids) u
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
