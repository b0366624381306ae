-- Trigger of users: ends the links in mails that were sent for the account as it was. Their rows stay, because they count for their address.
--
-- Arguments: none.
-- Returns: null, as it runs after the change.
-- Locks: the account's rows of account_tokens; the caller has locked the account itself.
-- Errors: none.

CREATE OR REPLACE FUNCTION account_tokens_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_tokens SET expires_at = '-infinity' WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
