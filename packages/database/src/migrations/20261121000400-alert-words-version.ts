/** A version of all alert words together, by which the services that match them notice every change. */
export const name = '20261121000400-alert-words-version';

export const sql = `
-- One row. The version is replaced in the transaction that changes the words, so whoever sees a version sees its words. It is random,
-- not counted: after a restore no later version equals one that somebody remembers. A trigger sets it, because services of the
-- release before change words too while both run.
CREATE TABLE alert_words_version (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  version uuid NOT NULL DEFAULT gen_random_uuid()
);
COMMENT ON TABLE alert_words_version IS 'owner: store/alert-words; written by a trigger of alert_words';
INSERT INTO alert_words_version DEFAULT VALUES;

CREATE FUNCTION alert_words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE alert_words_version SET version = gen_random_uuid();
  RETURN NULL;
END
$$;
CREATE TRIGGER alert_words_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON alert_words
  FOR EACH STATEMENT EXECUTE FUNCTION alert_words_changed();
`;
