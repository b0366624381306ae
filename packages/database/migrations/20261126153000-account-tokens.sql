-- Links in mails that open an account (decision 0050): a lost password, a new address. Only the hash of the link's 256 random bits is here.
CREATE TABLE account_tokens (
  token_hash bytea PRIMARY KEY,
  purpose text NOT NULL,
  -- Null if somebody asked for a link for an address that has no account: it counts as one, and opens nothing.
  user_id integer REFERENCES users (id),
  -- Where the mail went.
  email text NOT NULL,
  email_folded text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX account_tokens_by_email ON account_tokens (email_folded, purpose, created_at);
CREATE INDEX account_tokens_by_user ON account_tokens (user_id);
COMMENT ON TABLE account_tokens IS 'owner: store/account-tokens; token_hash is SHA-256; a trigger of users deletes too';

-- What the account was when the mail went is no longer true.
CREATE TRIGGER account_tokens_end AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash OR OLD.delivery_email IS DISTINCT FROM NEW.delivery_email
    OR (OLD.is_active AND NOT NEW.is_active))
  EXECUTE FUNCTION account_tokens_end();
