/** The log of the organization, its append functions, event queues and service leases. */
export const name = '20261101000002-log-and-queues';

export const sql = `
CREATE TABLE log_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch integer NOT NULL,
  -- The epoch's first position is start_position + 1, its first message id start_message_id + 1.
  start_position bigint NOT NULL,
  start_message_id bigint NOT NULL,
  -- Entries at or below this position may have been trimmed.
  begin_position bigint NOT NULL,
  system_identifier bigint NOT NULL,
  timeline text NOT NULL
);
COMMENT ON TABLE log_head IS 'owner: event-log/append; locked last by every transaction that appends, updated only by trimming and by a new epoch';

INSERT INTO log_head (epoch, start_position, start_message_id, begin_position, system_identifier, timeline)
SELECT 1, 0, 0, 0, c.system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system() c;

CREATE TABLE log_epochs (
  epoch integer PRIMARY KEY,
  -- What the log held when the epoch opened: a queue that saw nothing above it goes on, any other is refused.
  previous_end_position bigint NOT NULL,
  start_position bigint NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO log_epochs (epoch, previous_end_position, start_position) VALUES (1, 0, 0);
COMMENT ON TABLE log_epochs IS 'owner: event-log/epochs';

CREATE TABLE log_entries (
  position bigint NOT NULL,
  length integer NOT NULL CHECK (length > 0),
  message_id bigint NOT NULL,
  audience bigint NOT NULL,
  appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload text NOT NULL,
  PRIMARY KEY (position)
) PARTITION BY RANGE (position);
CREATE INDEX log_entries_by_audience ON log_entries (audience, position);
COMMENT ON TABLE log_entries IS 'owner: event-log; message_id is the newest message at the entry, audience the key by which replay finds it';

CREATE TABLE log_entries_from_0 PARTITION OF log_entries FOR VALUES FROM (0) TO (1000000);
CREATE TABLE log_entries_from_1000000 PARTITION OF log_entries FOR VALUES FROM (1000000) TO (2000000);

-- Locks the head of the log and says where to go on. After it nothing may wait.
CREATE FUNCTION log_lock_head(OUT epoch integer, OUT end_position bigint, OUT end_message_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
  head log_head%ROWTYPE;
  newest record;
BEGIN
  SELECT * INTO STRICT head FROM log_head FOR UPDATE;
  IF head.timeline <> substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
     OR head.system_identifier <> (SELECT c.system_identifier FROM pg_control_system() c) THEN
    RAISE EXCEPTION 'the log was opened on another history of this database' USING ERRCODE = 'PL001';
  END IF;
  SELECT e.position + e.length - 1 AS position, e.message_id INTO newest FROM log_entries e ORDER BY e.position DESC LIMIT 1;
  epoch := head.epoch;
  end_position := greatest(coalesce(newest.position, 0), head.start_position);
  end_message_id := greatest(coalesce(newest.message_id, 0), head.start_message_id);
END $$;

-- Appends entries and gives the change its position. Called as the last statement of a transaction, in one round trip with
-- its COMMIT, so that a paused or cut-off process never holds the head.
CREATE FUNCTION log_append(lengths integer[], audiences bigint[], payloads text[], change_id bigint, account_user_ids integer[])
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
    SELECT n, len, aud, body, head.end_position + 1 + coalesce(sum(len) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS pos
    FROM unnest(lengths, audiences, payloads) WITH ORDINALITY AS t (len, aud, body, n)
  ), inserted AS (
    INSERT INTO log_entries (position, length, message_id, audience, payload)
    SELECT pos, len, head.end_message_id, aud, body FROM laid_out
  )
  SELECT head.epoch, pos, head.end_message_id FROM laid_out ORDER BY n;
END $$;

-- Appends a tick when the newest entry is older than the given age; returns its position, or null when none was due.
CREATE FUNCTION log_tick(older_than interval, audience bigint, payload text)
RETURNS TABLE (epoch integer, "position" bigint, message_id bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  head record;
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest
             WHERE newest.appended_at > clock_timestamp() - older_than) THEN
    RETURN;
  END IF;
  SELECT * INTO head FROM log_lock_head();
  IF EXISTS (SELECT 1 FROM (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest
             WHERE newest.appended_at > clock_timestamp() - older_than) THEN
    RETURN;
  END IF;
  INSERT INTO log_entries (position, length, message_id, audience, payload)
  VALUES (head.end_position + 1, 1, head.end_message_id, audience, payload);
  RETURN QUERY SELECT head.epoch, head.end_position + 1, head.end_message_id;
END $$;

CREATE TYPE send_item AS (
  ordinal integer,
  send_key text,
  content_hash text,
  sender_id integer,
  stream_id integer,
  stream_version integer,
  -- The user whose subscription permits the send, where one is needed (private streams, guests, bots by their owner).
  authority_id integer,
  may_be_first boolean,
  participant_ids integer[],
  conversation_id bigint,
  recipient_id integer,
  topic text,
  content text,
  rendered_content text,
  client text,
  sent_at_secs bigint,
  is_me_message boolean,
  has_link boolean,
  has_image boolean,
  has_attachment boolean,
  read_by_sender boolean,
  mentions_wildcard boolean,
  mentioned_ids integer[],
  late_receipt_ids integer[],
  group_mentioned_ids integer[],
  alert_word_ids integer[],
  subject_links text[],
  submessages jsonb,
  search_text text,
  audience bigint,
  payload text
);

-- Sends a batch in one statement: keys, head, ids, rows, entries. Items are judged under the head, where everything committed
-- at lower positions is visible, so that an entry is true of its stream, sender and recipients at its position.
-- outcome: sent; repeated (the key was used for the same content: the first id); reused (the key was used for other content);
-- busy (the key is being used right now); stale (what was checked before no longer holds: check again).
CREATE FUNCTION send_messages(items json)
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
      group_mentioned_ids, alert_word_ids, subject_links, submessages, search)
    SELECT new_id, new_position, sender_id, stream_id, conversation_id, conversation_id, recipient_id, topic, content,
      rendered_content, client, to_timestamp(sent_at_secs), is_me_message, has_link, has_image, has_attachment, read_by_sender,
      mentions_wildcard, group_mentioned_ids, alert_word_ids, subject_links, submessages, to_tsvector('english', search_text)
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

CREATE TABLE event_queues (
  queue_id text PRIMARY KEY,
  user_id integer NOT NULL,
  start_position bigint NOT NULL,
  epoch integer NOT NULL,
  descriptor jsonb NOT NULL,
  lifespan_secs integer NOT NULL,
  client text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_polled_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX event_queues_by_user ON event_queues (user_id);
COMMENT ON TABLE event_queues IS 'owner: store/event-queues';

CREATE TABLE service_leases (
  node_id text PRIMARY KEY,
  service text NOT NULL,
  address text NOT NULL,
  renewed_at timestamptz NOT NULL,
  lapses_at timestamptz NOT NULL
);
COMMENT ON TABLE service_leases IS 'owner: placement';
`;
