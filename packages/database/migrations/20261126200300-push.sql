-- Web Push (decision 0053). The pair of keys by which push services recognize this installation is drawn at its first start.
CREATE TABLE push_keys (
  id integer PRIMARY KEY CHECK (id = 1),
  public_key text NOT NULL,
  private_key_encrypted bytea NOT NULL
);
COMMENT ON TABLE push_keys IS 'owner: store/push-keys; private_key_encrypted is AES-256-GCM under the key secret';

-- Where a browser or a phone wants to be told. One of a browser ends with its session, one of a program with the account's key.
CREATE TABLE push_subscriptions (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  user_id integer NOT NULL REFERENCES users (id),
  session_id bigint UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
  -- Chosen by the push service; whoever has it and the private key above can push.
  endpoint text NOT NULL UNIQUE,
  origin text NOT NULL,
  p256dh text NOT NULL,
  auth text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When there is something to push; infinity while there is nothing.
  due_at timestamptz NOT NULL DEFAULT 'infinity',
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  attempts bigint NOT NULL DEFAULT 0,
  -- In a row.
  failures integer NOT NULL DEFAULT 0,
  -- Whether an attempt ended without an answer, so that the next one may be a repeat.
  may_have_arrived boolean NOT NULL DEFAULT false
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);
CREATE INDEX push_subscriptions_by_due ON push_subscriptions (due_at);
COMMENT ON TABLE push_subscriptions IS 'owner: store/push-subscriptions; triggers of users and api_keys delete too';

CREATE TABLE messages_to_push (
  subscription_id bigint NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
  message_id bigint NOT NULL,
  -- Null while it waits. What was pushed stays until it is read, so that a later push can say that it was.
  pushed_at timestamptz,
  PRIMARY KEY (subscription_id, message_id)
);
COMMENT ON TABLE messages_to_push IS 'owner: store/push-subscriptions';

CREATE TRIGGER push_subscriptions_end AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash OR (OLD.is_active AND NOT NEW.is_active))
  EXECUTE FUNCTION push_subscriptions_end('id');
CREATE TRIGGER push_subscriptions_end AFTER UPDATE ON api_keys FOR EACH ROW
  WHEN (OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION push_subscriptions_end('user_id');
