-- Exports of the public data, made by jobs (decision 0056). A row stays when its archive is deleted: the list shows it, and the limit counts it.
CREATE TABLE realm_exports (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  acting_user_id integer NOT NULL REFERENCES users (id),
  requested_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  attempts integer NOT NULL DEFAULT 0,
  -- Of the archive, while there is one.
  file_key text,
  size_bytes bigint,
  failed_at timestamptz,
  deleted_at timestamptz
);
COMMENT ON TABLE realm_exports IS 'owner: store/realm-exports';
