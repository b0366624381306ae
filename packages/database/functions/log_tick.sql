-- Appends a tick where the log has been silent, so that a cursor can go on in it.
--
-- Arguments: older_than: how old the newest entry has to be. audience, payload: as for log_append.
-- Returns: one row as log_append, or none when no tick was due.
-- Locks: the head of the log, by log_lock_head, and only when a tick seems due; under it that is judged again.
-- Errors: those of log_lock_head.

CREATE OR REPLACE FUNCTION log_tick(older_than interval, audience bigint, payload text)
RETURNS TABLE (epoch integer, "position" bigint, message_id bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  head record;
BEGIN
  IF EXISTS (SELECT 1 FROM (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest
             WHERE newest.appended_at > clock_timestamp() - older_than) THEN
    RETURN;
  END IF;
  SELECT * INTO head FROM log_lock_head();
  IF EXISTS (SELECT 1 FROM (SELECT e.appended_at FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest
             WHERE newest.appended_at > clock_timestamp() - older_than) THEN
    RETURN;
  END IF;
  INSERT INTO log_entries (position, length, message_id, audience, payload)
  VALUES (head.end_position + 1, 1, head.end_message_id, audience, payload);
  RETURN QUERY SELECT head.epoch, head.end_position + 1, head.end_message_id;
END $$;
