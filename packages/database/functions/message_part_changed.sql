-- Trigger of what hangs on messages and is shown with them: gives the message another version, in the transaction that changes it.
--
-- Arguments: none; the row, which names its message by message_id and never goes to another one.
-- Returns: null, as it runs after the change.
-- Locks: the message's row of message_versions, until the transaction ends; whoever changes what hangs on a message has locked that.
-- Errors: none.

CREATE OR REPLACE FUNCTION message_part_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_versions AS v (message_id, version)
  VALUES (CASE TG_OP WHEN 'DELETE' THEN OLD.message_id ELSE NEW.message_id END, 1)
  -- Once in a transaction: nobody sees a version between, and each look-up would pass all that came before it.
  ON CONFLICT (message_id) DO UPDATE SET version = v.version + 1 WHERE v.xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
