-- Sends like send_messages, if some items link to files whose owners get an event. Each such item has an upload_notice
-- {length, audience, payload}, a change entry whose events list the new message last in attachment.messages. If the message is sent,
-- the entry is appended directly before it, with the message's id, which is known only under the head.
--
-- Arguments: items: as for send_messages, some with upload_notice.
-- Returns: as send_messages, and for each sent item with a notice also that entry's position, message id and payload.
-- Locks: as send_messages; here the head may be taken before the keys of later items, which is why keys are never waited for.
-- Errors: those of send_messages. PL002 is raised and caught within, to undo the notice of an item that was not sent.

CREATE OR REPLACE FUNCTION send_messages_with_uploads(items json)
RETURNS TABLE (ordinal integer, outcome text, message_id bigint, "position" bigint, epoch integer,
  notice_position bigint, notice_message_id bigint, notice text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  item json;
  head record;
  sent record;
  body jsonb;
BEGIN
  FOR item IN SELECT e.value FROM json_array_elements(items) e LOOP
    IF item->'upload_notice' IS NULL THEN
      RETURN QUERY SELECT s.ordinal, s.outcome, s.message_id, s.position, s.epoch, NULL::bigint, NULL::bigint, NULL::text
        FROM send_messages(json_build_array(item)) s;
      CONTINUE;
    END IF;
    BEGIN
      SELECT * INTO head FROM log_lock_head();
      body := (item->'upload_notice'->'payload')::jsonb;
      FOR n IN 0 .. (item->'upload_notice'->>'length')::integer - 1 LOOP
        body := jsonb_set(body, ARRAY['events', n::text, 'event', 'attachment', 'messages', '-1', 'id'],
          to_jsonb(head.end_message_id + 1));
      END LOOP;
      INSERT INTO log_entries (position, length, message_id, audience, payload)
      VALUES (head.end_position + 1, (item->'upload_notice'->>'length')::integer, head.end_message_id,
        (item->'upload_notice'->>'audience')::bigint, body::text);
      SELECT * INTO sent FROM send_messages(json_build_array(item));
      -- Undoes the notice.
      IF sent.outcome IS DISTINCT FROM 'sent' THEN
        RAISE EXCEPTION 'the message was not sent' USING ERRCODE = 'PL002';
      END IF;
      RETURN QUERY SELECT sent.ordinal, sent.outcome, sent.message_id, sent.position, sent.epoch,
        head.end_position + 1, head.end_message_id, body::text;
    EXCEPTION WHEN SQLSTATE 'PL002' THEN
      IF sent.ordinal IS NOT NULL THEN
        RETURN QUERY SELECT sent.ordinal, sent.outcome, sent.message_id, sent.position, sent.epoch,
          NULL::bigint, NULL::bigint, NULL::text;
      END IF;
    END;
  END LOOP;
END $$;
