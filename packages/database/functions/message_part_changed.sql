-- Trigger of tables whose rows belong to messages and are shown with them: gives the message a new version, in the transaction that
-- changes such a row.
--
-- Arguments: none; the row, which has its message in message_id and never moves to another one.
-- Returns: null, as it runs after the change.
-- Locks: the message's row of message_versions, until the transaction ends; the caller has locked the message itself.
-- Errors: none.

CREATE OR REPLACE FUNCTION message_part_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_versions AS v (message_id, version)
  VALUES (CASE TG_OP WHEN 'DELETE' THEN OLD.message_id ELSE NEW.message_id END, 1)
  -- Once in a transaction: nobody sees a version in between, and each look-up would pass all earlier ones.
  ON CONFLICT (message_id) DO UPDATE SET version = v.version + 1 WHERE v.xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
