-- Invitations by address and by link (decision 0050). The secret of one by address is in its mail and, as a hash, in account_tokens; that of a
-- link is here too, encrypted, because administrators see the link.
CREATE TABLE invitations (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  -- Null for a link, which anybody may use who has it.
  email text,
  email_folded text UNIQUE,
  inviter_id integer NOT NULL REFERENCES users (id),
  role text NOT NULL,
  stream_ids integer[] NOT NULL,
  invited_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  uses integer NOT NULL DEFAULT 0,
  uses_max integer,
  link_hash bytea UNIQUE,
  link_encrypted bytea
);
COMMENT ON TABLE invitations IS 'owner: store/invitations; link_hash is SHA-256, link_encrypted AES-256-GCM under the key secret';

-- A link with which a person joins: by this invitation, or where none is needed by none.
ALTER TABLE account_tokens ADD COLUMN invitation_id integer REFERENCES invitations (id) ON DELETE CASCADE;
CREATE INDEX account_tokens_by_invitation ON account_tokens (invitation_id);
