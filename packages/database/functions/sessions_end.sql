-- Trigger of what sessions of browsers depend on: ends all sessions of the changed row's account.
--
-- Arguments: the column with the account's id.
-- Returns: null, as it runs after the change.
-- Locks: the account's rows of sessions; the caller has locked the account itself.
-- Errors: none.

CREATE OR REPLACE FUNCTION sessions_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sessions WHERE user_id = (to_jsonb(NEW) ->> TG_ARGV[0])::integer;
  RETURN NULL;
END $$;
