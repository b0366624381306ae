-- Appends entries and gives the change its position. Called as the last statement of a transaction, in one round trip with
-- its COMMIT, so that a paused or disconnected process never holds the head.
--
-- Arguments: lengths, audiences, payloads and side_effects have one element for each entry, in the order of the log: its
--   number of positions, the key by which replay finds it, its JSON text, and whether it has side effects. change_id: the change
--   that rows of this transaction point to, or null. account_user_ids: accounts whose credentials or role changed, or null.
-- Returns: for each entry in order the epoch, its first position, and the newest message id at it.
-- Locks: the head of the log, by log_lock_head.
-- Errors: those of log_lock_head; 23505 if the change already has its position.

CREATE OR REPLACE FUNCTION log_append(lengths integer[], audiences bigint[], payloads text[], change_id bigint, account_user_ids integer[], side_effects boolean[])
RETURNS TABLE (epoch integer, "position" bigint, message_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
  head record;
BEGIN
  SELECT * INTO head FROM log_lock_head();
  IF change_id IS NOT NULL THEN
    INSERT INTO changes (id, position, message_id) VALUES (change_id, head.end_position + 1, head.end_message_id);
  END IF;
  IF account_user_ids IS NOT NULL THEN
    INSERT INTO account_changes (position, user_id) SELECT DISTINCT head.end_position + 1, u FROM unnest(account_user_ids) u;
  END IF;
  RETURN QUERY
  WITH laid_out AS (
    SELECT n, len, aud, body, does_more, head.end_position + 1 + coalesce(sum(len) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS pos
    FROM unnest(lengths, audiences, payloads, side_effects) WITH ORDINALITY AS t (len, aud, body, does_more, n)
  ), inserted AS (
    INSERT INTO log_entries (position, length, message_id, audience, payload, has_side_effects)
    SELECT pos, len, head.end_message_id, aud, body, does_more FROM laid_out
  )
  SELECT head.epoch, pos, head.end_message_id FROM laid_out ORDER BY n;
END $$;
