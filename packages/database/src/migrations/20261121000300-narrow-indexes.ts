/** What serves narrows and unread reads by index alone: wider indexes instead of more of them, and small ones for what is rare. */
export const name = '20261121000300-narrow-indexes';

export const sql = `
-- Where a message is held by membership or by taking part: its stream's id, or the negated id of its private conversation. A move
-- never changes it. Users that the message matched share a set with other messages, named by its hash.
ALTER TABLE messages
  ADD COLUMN scope bigint NOT NULL GENERATED ALWAYS AS (coalesce(stream_id::bigint, -conversation_id)) STORED,
  ADD COLUMN group_mention_set bigint GENERATED ALWAYS AS (hash_array_extended(group_mentioned_ids, 0)) STORED,
  ADD COLUMN alert_word_set bigint GENERATED ALWAYS AS (hash_array_extended(alert_word_ids, 0)) STORED;

-- Scans of ids in their order, of a sender's and of a conversation's messages decide without the rows of messages.
ALTER TABLE messages DROP CONSTRAINT messages_pkey;
ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (id) INCLUDE (scope, conversation_id, read_conversation_id, sender_id,
  read_by_sender, has_link, has_image, has_attachment, mentions_wildcard);
DROP INDEX messages_by_stream;
CREATE INDEX messages_by_stream ON messages (stream_id, id) INCLUDE (conversation_id) WHERE stream_id IS NOT NULL;
DROP INDEX messages_by_sender;
CREATE INDEX messages_by_sender ON messages (sender_id, id) INCLUDE (scope, conversation_id);
DROP INDEX messages_by_conversation;
CREATE INDEX messages_by_conversation ON messages (conversation_id, id) INCLUDE (scope, read_conversation_id, sender_id, read_by_sender);
DROP INDEX messages_by_read_conversation;
CREATE INDEX messages_by_read_conversation ON messages (read_conversation_id, id) INCLUDE (scope, conversation_id, sender_id, read_by_sender)
  WHERE read_conversation_id <> conversation_id;
CREATE INDEX messages_moved_here ON messages (conversation_id, id) INCLUDE (scope, read_conversation_id, sender_id, read_by_sender)
  WHERE read_conversation_id <> conversation_id;

CREATE INDEX messages_with_link ON messages (scope, id) INCLUDE (conversation_id, read_conversation_id, sender_id, read_by_sender) WHERE has_link;
CREATE INDEX messages_with_image ON messages (scope, id) INCLUDE (conversation_id, read_conversation_id, sender_id, read_by_sender) WHERE has_image;
CREATE INDEX messages_with_attachment ON messages (scope, id) INCLUDE (conversation_id, read_conversation_id, sender_id, read_by_sender)
  WHERE has_attachment;
CREATE INDEX messages_with_wildcard ON messages (scope, id) WHERE mentions_wildcard;
CREATE INDEX messages_by_group_mention_set ON messages (group_mention_set, id) INCLUDE (scope) WHERE group_mention_set IS NOT NULL;
CREATE INDEX messages_by_alert_word_set ON messages (alert_word_set, id) INCLUDE (scope) WHERE alert_word_set IS NOT NULL;

-- Index-only scans fetch the rows that no vacuum has seen, and the first page is of the newest: half a percent at most.
ALTER TABLE messages SET (autovacuum_vacuum_insert_scale_factor = 0.005, autovacuum_vacuum_insert_threshold = 10000);

-- A group's members and those with a word among their alert words are the same people message after message, so a set is written
-- once, whatever its size, and a message only names it. No constraint keeps a set from being here twice: a send would wait for an
-- edit that adds the same one, while it holds the head of the log.
CREATE TABLE matched_user_sets (
  id bigint NOT NULL,
  user_ids integer[] NOT NULL
);
CREATE INDEX matched_user_sets_by_id ON matched_user_sets (id);
CREATE INDEX matched_user_sets_by_user ON matched_user_sets USING gin (user_ids) WITH (fastupdate = off);
COMMENT ON TABLE matched_user_sets IS 'owner: store/messages; written by the triggers of messages, never deleted';

CREATE FUNCTION note_matched_user_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO matched_user_sets (id, user_ids)
  SELECT s.id, s.user_ids FROM (VALUES (NEW.group_mention_set, NEW.group_mentioned_ids), (NEW.alert_word_set, NEW.alert_word_ids)) s (id, user_ids)
  WHERE s.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM matched_user_sets known WHERE known.id = s.id AND known.user_ids = s.user_ids);
  RETURN NULL;
END $$;
CREATE TRIGGER note_matched_user_set AFTER INSERT OR UPDATE OF group_mentioned_ids, alert_word_ids ON messages
  FOR EACH ROW WHEN (NEW.group_mention_set IS NOT NULL OR NEW.alert_word_set IS NOT NULL) EXECUTE FUNCTION note_matched_user_set();
INSERT INTO matched_user_sets (id, user_ids)
SELECT DISTINCT s.id, s.user_ids
FROM messages m, LATERAL (VALUES (m.group_mention_set, m.group_mentioned_ids), (m.alert_word_set, m.alert_word_ids)) s (id, user_ids)
WHERE (m.group_mention_set IS NOT NULL OR m.alert_word_set IS NOT NULL) AND s.id IS NOT NULL;

-- Null where whoever wrote the row did not say: the message then tells.
ALTER TABLE message_flags ADD COLUMN scope bigint;
UPDATE message_flags f SET scope = m.scope FROM messages m WHERE m.id = f.message_id;
CREATE INDEX message_flags_starred ON message_flags (user_id, message_id) INCLUDE (scope) WHERE set_bits & 2 <> 0;
CREATE INDEX message_flags_mentioned ON message_flags (user_id, message_id) INCLUDE (scope) WHERE set_bits & 24 <> 0;
CREATE INDEX message_flags_alerted ON message_flags (user_id, message_id) INCLUDE (scope) WHERE set_bits & 512 <> 0;
CREATE INDEX message_flags_cleared ON message_flags (user_id, message_id) INCLUDE (cleared_bits) WHERE cleared_bits <> 0;

-- What is read of one user for most lists lies anywhere in its table, and is a few pages of an index.
ALTER TABLE changes DROP CONSTRAINT changes_pkey;
ALTER TABLE changes ADD CONSTRAINT changes_pkey PRIMARY KEY (id) INCLUDE (message_id);
ALTER TABLE membership_periods DROP CONSTRAINT membership_periods_pkey;
ALTER TABLE membership_periods ADD CONSTRAINT membership_periods_pkey PRIMARY KEY (user_id, stream_id, from_change_id) INCLUDE (until_change_id);
ALTER TABLE read_watermarks DROP CONSTRAINT read_watermarks_pkey;
ALTER TABLE read_watermarks ADD CONSTRAINT read_watermarks_pkey PRIMARY KEY (user_id, conversation_id) INCLUDE (message_id);
ALTER TABLE read_watermarks SET (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX read_exceptions_unread ON read_exceptions (user_id, message_id) INCLUDE (stream_id, conversation_id) WHERE NOT is_read;
CREATE INDEX subscriptions_muted ON subscriptions (user_id) INCLUDE (stream_id) WHERE is_muted;
DROP INDEX conversations_by_topic;
CREATE UNIQUE INDEX conversations_by_topic ON conversations (stream_id, topic_folded) INCLUDE (id) WHERE stream_id IS NOT NULL;
CREATE INDEX conversations_by_topic_name ON conversations (topic_folded, stream_id) INCLUDE (id) WHERE stream_id IS NOT NULL;
`;
