-- Services keep what pages of messages show in memory, by its version, which the statement of a page reads (decision 0045). Triggers
-- write the versions in the transaction of the change, so that no change can be forgotten, whichever release makes it.

-- The version of a message grows with every change of what it shows: of its row, its reactions and its submessages. A message that is as
-- it was sent has none. Whoever changes a message has locked it, and so its version.
CREATE TABLE message_versions (
  message_id bigint PRIMARY KEY,
  version integer NOT NULL
) WITH (fillfactor = 80);
COMMENT ON TABLE message_versions IS 'owner: store/shown-messages; written by triggers of messages, reactions and submessages';
CREATE TRIGGER message_changed AFTER UPDATE ON messages
  FOR EACH ROW EXECUTE FUNCTION message_changed();
CREATE TRIGGER message_part_changed AFTER INSERT OR UPDATE OR DELETE ON reactions
  FOR EACH ROW EXECUTE FUNCTION message_part_changed();
CREATE TRIGGER message_part_changed AFTER INSERT OR UPDATE OR DELETE ON submessages
  FOR EACH ROW EXECUTE FUNCTION message_part_changed();

-- The version of what messages show of people, of streams and of the organization. It is written at the commit, so that nobody waits for
-- its row who holds what another waits for.
CREATE TABLE shown_names_version (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO shown_names_version DEFAULT VALUES;
COMMENT ON TABLE shown_names_version IS 'owner: store/shown-names; written by triggers of users, streams and realm';
CREATE CONSTRAINT TRIGGER shown_names_changed AFTER UPDATE ON users
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.email, OLD.delivery_email, OLD.full_name, OLD.short_name, OLD.avatar_source, OLD.avatar_version)
    IS DISTINCT FROM (NEW.email, NEW.delivery_email, NEW.full_name, NEW.short_name, NEW.avatar_source, NEW.avatar_version))
  EXECUTE FUNCTION shown_names_changed();
CREATE CONSTRAINT TRIGGER shown_names_changed AFTER UPDATE ON streams
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name)
  EXECUTE FUNCTION shown_names_changed();
CREATE CONSTRAINT TRIGGER shown_names_changed AFTER UPDATE ON realm
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.string_id, OLD.settings) IS DISTINCT FROM (NEW.string_id, NEW.settings))
  EXECUTE FUNCTION shown_names_changed();

-- Where a page lies in a stream, what its messages were sent to is found where they are.
DROP INDEX messages_by_stream;
CREATE INDEX messages_by_stream ON messages (stream_id, id) INCLUDE (conversation_id, read_conversation_id) WHERE stream_id IS NOT NULL;
