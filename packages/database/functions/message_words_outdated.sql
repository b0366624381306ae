-- Trigger of messages: notes a message whose words a service of the release before wrote, as its index has positions and other words.
--
-- Arguments: none; the row.
-- Returns: null, as it runs after the change.
-- Locks: none.
-- Errors: none.

CREATE OR REPLACE FUNCTION message_words_outdated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_backlog (first_id, last_id) VALUES (NEW.id, NEW.id);
  RETURN NULL;
END $$;
