-- Appends a tick if the log has been silent, so that cursors can advance.
--
-- Arguments: older_than: the least age of the newest entry. audience, payload: as for log_append.
-- Returns: one row as log_append, or none if no tick was due.
-- Locks: the head of the log, by log_lock_head, and only if a tick seems due, which is checked again under the lock.
-- Errors: those of log_lock_head.

CREATE OR REPLACE FUNCTION log_tick(older_than interval, audience bigint, payload text)
RETURNS TABLE (epoch integer, "position" bigint, message_id bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  head record;
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest
             WHERE newest.appended_at > parley_now() - older_than) THEN
    RETURN;
  END IF;
  SELECT * INTO head FROM log_lock_head();
  -- The time is still that at which the statement arrived, so what was appended while it waited counts.
  IF EXISTS (SELECT 1 FROM (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest
             WHERE newest.appended_at > parley_now() - older_than) THEN
    RETURN;
  END IF;
  INSERT INTO log_entries (position, length, message_id, audience, payload)
  VALUES (head.end_position + 1, 1, head.end_message_id, audience, payload);
  RETURN QUERY SELECT head.epoch, head.end_position + 1, head.end_message_id;
END $$;
