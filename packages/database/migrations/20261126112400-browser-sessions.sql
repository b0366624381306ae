-- Sessions of browsers (decision 0048). A browser keeps 256 random bits in a cookie; only their hash is here, so what is stored signs
-- nobody in. A session ends with its row.
CREATE TABLE sessions (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  user_id integer NOT NULL REFERENCES users (id),
  token_hash bytea NOT NULL UNIQUE,
  -- What the browser called itself at the sign-in.
  device text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A few minutes old at most while the session is in use.
  last_used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_used_at);
COMMENT ON TABLE sessions IS 'owner: store/sessions; token_hash is SHA-256; triggers of users and api_keys delete too';

-- Sessions end with the account's activity, password and key, in the transaction that changes those, whichever release makes it. A key that
-- is encrypted under another secret keeps its time, and stays the same key.
CREATE TRIGGER sessions_end AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash OR (OLD.is_active AND NOT NEW.is_active))
  EXECUTE FUNCTION sessions_end('id');
CREATE TRIGGER sessions_end AFTER UPDATE ON api_keys FOR EACH ROW
  WHEN (OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION sessions_end('user_id');
