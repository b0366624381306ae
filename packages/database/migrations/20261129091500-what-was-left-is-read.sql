-- Archiving a stream marks it read, and nobody marks messages unread in a private stream after leaving it. What was unread so far becomes read.
INSERT INTO read_stream_floors (user_id, stream_id, message_id)
  SELECT DISTINCT p.user_id, p.stream_id, newest.id FROM streams s
  JOIN membership_periods p ON p.stream_id = s.id
  CROSS JOIN LATERAL (SELECT m.id FROM messages m WHERE m.stream_id = s.id ORDER BY m.id DESC LIMIT 1) newest
  WHERE s.is_deactivated
ON CONFLICT (user_id, stream_id) DO UPDATE SET message_id = greatest(read_stream_floors.message_id, excluded.message_id);

DELETE FROM read_exceptions x USING streams s
  WHERE s.id = x.stream_id AND s.invite_only AND NOT x.is_read AND NOT EXISTS (
    SELECT 1 FROM membership_periods p WHERE p.stream_id = x.stream_id AND p.user_id = x.user_id AND p.until_change_id IS NULL);
