-- Trigger of what push subscriptions depend on: ends all of the changed row's account.
--
-- Arguments: the column with the account's id.
-- Returns: null, as it runs after the change.
-- Locks: the account's rows of push_subscriptions; the caller has locked the account itself.
-- Errors: none.

CREATE OR REPLACE FUNCTION push_subscriptions_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM push_subscriptions WHERE user_id = (to_jsonb(NEW) ->> TG_ARGV[0])::integer;
  RETURN NULL;
END $$;
