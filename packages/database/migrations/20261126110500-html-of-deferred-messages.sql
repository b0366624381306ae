-- Deferred messages are listed to their senders, with the HTML that was made when they were checked.

-- A message that the release before stores while it still runs has none.
ALTER TABLE deferred_messages ADD COLUMN rendered_content text NOT NULL DEFAULT '';
-- Those that wait are shown as plain text.
UPDATE deferred_messages
  SET rendered_content = '<p>' || replace(replace(replace(content, '&', '&amp;'), '<', '&lt;'), '>', '&gt;') || '</p>';
