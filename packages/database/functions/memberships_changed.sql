-- Trigger of the periods of memberships: writes the row of each stream whose periods changed, in the transaction that changes them. The transaction
-- that wrote the row is the version of the stream's subscribers. Whoever is a member again sees messages as they are now, so what was kept for
-- those who had left ends for them.
--
-- Arguments: none; the transition table "changed".
-- Returns: null, as it runs after the change.
-- Locks: the streams' rows of stream_member_versions, by id, until the transaction ends; the caller has locked the streams themselves.
-- Errors: none.

CREATE OR REPLACE FUNCTION memberships_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stream_member_versions AS v (stream_id) SELECT DISTINCT stream_id FROM changed ORDER BY stream_id
  ON CONFLICT (stream_id) DO UPDATE SET stream_id = excluded.stream_id WHERE v.xmin <> pg_current_xact_id()::xid;
  -- Schemas from before this table get rows by imports.
  IF to_regclass('kept_messages') IS NOT NULL THEN
    -- IS TRUE keeps the look-up a hashed one: its time does not grow with the product of those who join and those who left.
    UPDATE kept_messages k SET user_ids = ARRAY(
        SELECT u FROM unnest(k.user_ids) u
        EXCEPT SELECT c.user_id FROM changed c WHERE c.stream_id = k.stream_id AND c.until_change_id IS NULL)
      WHERE k.stream_id IN (SELECT c.stream_id FROM changed c WHERE c.until_change_id IS NULL)
        AND EXISTS (SELECT 1 FROM unnest(k.user_ids) u
          WHERE (u IN (SELECT c.user_id FROM changed c WHERE c.until_change_id IS NULL)) IS TRUE);
  END IF;
  RETURN NULL;
END $$;
