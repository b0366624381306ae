-- Trigger of the periods of memberships: writes the row of each stream whose periods changed, in the transaction that changes them. The transaction
-- that wrote the row is the version of the stream's subscribers.
--
-- Arguments: none; the transition table "changed".
-- Returns: null, as it runs after the change.
-- Locks: the streams' rows of stream_member_versions, by id, until the transaction ends; the caller has locked the streams themselves.
-- Errors: none.

CREATE OR REPLACE FUNCTION memberships_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stream_member_versions AS v (stream_id) SELECT DISTINCT stream_id FROM changed ORDER BY stream_id
  ON CONFLICT (stream_id) DO UPDATE SET stream_id = excluded.stream_id WHERE v.xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
