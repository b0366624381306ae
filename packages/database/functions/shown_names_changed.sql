-- Deferred trigger of tables with names that messages show (people, streams, the organization): increases their common version, once in
-- the transaction that changes any of them.
--
-- Arguments: none; the row.
-- Returns: null, as it runs at the commit.
-- Locks: the row of shown_names_version, until the commit, in which the trigger runs.
-- Errors: none.

CREATE OR REPLACE FUNCTION shown_names_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shown_names_version SET version = gen_random_uuid() WHERE xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
