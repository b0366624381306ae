-- Trigger of messages: stores the sets of people that a message names by their hashes: the mentioned members of groups, and people
-- with an alert word in it.
--
-- Arguments: none; the row.
-- Returns: null, as it runs after the change.
-- Locks: none. No constraint makes a set unique: otherwise a send, which holds the head of the log, would wait for an edit that adds
--   the same set.
-- Errors: none.

CREATE OR REPLACE FUNCTION note_matched_user_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO matched_user_sets (id, user_ids)
  SELECT s.id, s.user_ids FROM (VALUES (NEW.group_mention_set, NEW.group_mentioned_ids), (NEW.alert_word_set, NEW.alert_word_ids)) s (id, user_ids)
  WHERE s.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM matched_user_sets known WHERE known.id = s.id AND known.user_ids = s.user_ids);
  RETURN NULL;
END $$;
