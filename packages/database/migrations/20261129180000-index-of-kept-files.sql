-- Whether somebody may read a file is asked for every request of one, also of those who may not.
CREATE INDEX kept_messages_by_file ON kept_messages USING gin (path_ids) WITH (fastupdate = off);
