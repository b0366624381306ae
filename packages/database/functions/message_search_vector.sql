-- The words of a message as the release before writes them: those of Postgres' parser. The lexemes for its place are those of
-- message_words_vector.
--
-- Arguments: search_text: the searchable text of the message, as plain text. The others are columns of its row; stream_id may be null.
-- Returns: the value of messages.search. Another meaning requires that all rows are written again, and so a new name.
-- Locks: none.
-- Errors: 54000 if the words exceed the size of a tsvector (1 MiB).

CREATE OR REPLACE FUNCTION message_search_vector(search_text text, stream_id integer, conversation_id bigint, sender_id integer, message_id bigint)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('english', search_text) || array_to_tsvector(array_remove(ARRAY[
    'S' || stream_id::text, 'C' || conversation_id::text, 'U' || sender_id::text, 'W' || (message_id / 4096)::text,
    'B' || (message_id / 65536)::text], NULL))
$$;
