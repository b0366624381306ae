-- Programs that keep accounts and user groups by SCIM (decision 0052).

-- A token belongs to the organization, not to an account: its maker may leave, and be deactivated by it.
CREATE TABLE scim_tokens (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  -- Null if the operator made it.
  maker_id integer REFERENCES users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A few minutes old at most while the token is in use.
  last_used_at timestamptz
);
COMMENT ON TABLE scim_tokens IS 'owner: store/scim-tokens; token_hash is SHA-256';

-- What such a program calls an account or a group.
ALTER TABLE users ADD COLUMN external_id text;
CREATE INDEX users_by_external_id ON users (external_id) WHERE external_id IS NOT NULL;
ALTER TABLE user_groups ADD COLUMN external_id text;
-- Whether such a program deleted the account: then it is not to be seen there until it is active again.
ALTER TABLE users ADD COLUMN deleted_by_scim boolean NOT NULL DEFAULT false;
