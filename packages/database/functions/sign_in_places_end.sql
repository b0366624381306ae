-- Trigger of users: forgets where the account signed in when its password changes.
--
-- Arguments: none.
-- Returns: null, as it runs after the change.
-- Locks: the account's rows of sign_in_places; the caller has locked the account itself.
-- Errors: none.

CREATE OR REPLACE FUNCTION sign_in_places_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sign_in_places WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
