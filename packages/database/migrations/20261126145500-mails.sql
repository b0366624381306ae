-- Mails to send (decision 0049). A row is written in the transaction of the change that its mail tells of, and deleted when a server has
-- taken the mail. A mail that failed for good keeps its row for a while without its letter, for the operator.
CREATE TABLE mails (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  -- The Message-ID of every attempt, so that receivers recognize a repeat.
  message_id uuid NOT NULL UNIQUE,
  kind text NOT NULL,
  recipient text NOT NULL,
  -- With links that open an account, so it is encrypted; null when the mail has failed.
  letter_encrypted bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- After this time nobody could use the mail.
  expires_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  attempts integer NOT NULL DEFAULT 0,
  -- Whether an attempt ended without an answer, so that the next one may be a repeat.
  may_have_arrived boolean NOT NULL DEFAULT false,
  last_error text,
  failed_at timestamptz
);
CREATE INDEX mails_by_due ON mails (due_at) WHERE failed_at IS NULL;
COMMENT ON TABLE mails IS 'owner: store/mails; letter_encrypted is AES-256-GCM under the key secret';
