-- Trigger of messages: gives a message a new version, in the transaction that changes it.
--
-- Arguments: none; the row.
-- Returns: null, as it runs after the change.
-- Locks: the message's row of message_versions, until the transaction ends; the message itself is locked.
-- Errors: none.

CREATE OR REPLACE FUNCTION message_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_versions AS v (message_id, version) VALUES (NEW.id, 1)
  -- Once in a transaction: nobody sees a version in between, and each look-up would pass all earlier ones.
  ON CONFLICT (message_id) DO UPDATE SET version = v.version + 1 WHERE v.xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
