-- Locks the head of the log and returns where it continues. Nothing may wait after this, because the next writer waits for this
-- transaction.
--
-- Arguments: none.
-- Returns: the epoch, the last used position, and the newest message id.
-- Locks: the row of log_head, until the transaction ends. It is locked last, after everything else that a transaction locks.
-- Errors: PL001 if the database has another history than that of the log's epoch (it was restored, or a standby was promoted): a new
--   epoch must be opened first. Nothing was appended.

CREATE OR REPLACE FUNCTION log_lock_head(OUT epoch integer, OUT end_position bigint, OUT end_message_id bigint)
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
