-- Event nodes keep the lists of subscribers that they answer to registers, by version. Triggers write the versions in the transaction of the
-- change, so that no change can be forgotten, whichever release makes it.

-- The version is the transaction that wrote the row. A stream that has no row never had a subscriber.
CREATE TABLE stream_member_versions (
  stream_id integer PRIMARY KEY
) WITH (fillfactor = 50);
COMMENT ON TABLE stream_member_versions IS 'owner: store/memberships; written by triggers of membership_periods';
CREATE TRIGGER memberships_inserted AFTER INSERT ON membership_periods
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memberships_changed();
CREATE TRIGGER memberships_updated AFTER UPDATE ON membership_periods
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memberships_changed();
CREATE TRIGGER memberships_deleted AFTER DELETE ON membership_periods
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memberships_changed();
INSERT INTO stream_member_versions SELECT DISTINCT stream_id FROM membership_periods;
