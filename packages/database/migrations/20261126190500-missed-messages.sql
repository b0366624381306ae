-- Who is told while no page is open (decision 0053). A message is looked at once, after its commit, and its candidates become rows: people
-- whom it may concern, and who want to be told of such messages. Whether they are told is decided later, when they are.

-- The newest message that was looked at. It moves in the transaction that makes the rows, so that no message is overlooked or taken twice.
CREATE TABLE told_upto (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  message_id bigint NOT NULL
);
COMMENT ON TABLE told_upto IS 'owner: store/messages-to-mail; everything up to it has become rows';
INSERT INTO told_upto (message_id) SELECT coalesce(max(id), 0) FROM messages;

CREATE TABLE messages_to_mail (
  user_id integer NOT NULL,
  message_id bigint NOT NULL,
  due_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, message_id)
);
CREATE INDEX messages_to_mail_by_due ON messages_to_mail (due_at);
COMMENT ON TABLE messages_to_mail IS 'owner: store/messages-to-mail; candidates, until a mail tells of the message or need not';

-- What a mail tells of, so that it is judged again before it goes; null for mails of other kinds.
ALTER TABLE mails ADD COLUMN user_id integer, ADD COLUMN message_ids bigint[];

-- People who want to be told of every message: of single streams, and of all their streams.
CREATE INDEX subscriptions_told ON subscriptions (stream_id, user_id) WHERE is_active AND (push_notifications OR email_notifications);
CREATE INDEX users_told_of_streams ON users (id)
  WHERE is_active AND ((settings ->> 'enable_stream_push_notifications')::boolean OR (settings ->> 'enable_stream_email_notifications')::boolean);
