-- Trigger of alert_words: increases the common version of all words, in the transaction that changes them.
--
-- Arguments: none.
-- Returns: null, as it runs after the change.
-- Locks: the row of alert_words_version, until the transaction ends.
-- Errors: none.

CREATE OR REPLACE FUNCTION alert_words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE alert_words_version SET version = gen_random_uuid();
  RETURN NULL;
END
$$;
