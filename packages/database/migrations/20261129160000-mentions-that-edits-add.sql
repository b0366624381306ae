-- An edit that mentions more people is looked at once more for whom it concerns (decision 0066), like a new message.
CREATE TABLE mentions_added (
  message_id bigint PRIMARY KEY,
  told_all boolean NOT NULL,
  told_ids integer[] NOT NULL
);
COMMENT ON TABLE mentions_added IS 'owner: store/candidates; messages with mentions that edits added, until those are candidates';
COMMENT ON COLUMN mentions_added.told_ids IS 'whom the message mentioned before the first of these edits; told_all: whether everybody';
COMMENT ON TABLE told_upto IS 'owner: store/candidates; everything up to it has become rows';
COMMENT ON TABLE messages_to_mail IS 'owner: store/messages-to-mail; candidates, until a mail tells of the message or need not; store/candidates writes too';
COMMENT ON TABLE messages_to_push IS 'owner: store/push-subscriptions; store/candidates writes too';
