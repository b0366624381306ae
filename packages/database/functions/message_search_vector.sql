-- The words of a message, and where it stands: no text gives a lexeme that begins with an upper-case letter, so one look-up finds
-- words within a stream (S), a conversation (C), of a sender (U) or in a window of 4,096 (W) or 65,536 (B) ids.
--
-- Each number is cast, since to join one to a text as it is counts as stable: a function that says it is immutable is then not
-- expanded into the statement that calls it, but parsed and planned for each run of that statement.
--
-- Arguments: search_text: what is to be found of the message as plain text. The others are columns of its row; stream_id may be null.
-- Returns: what messages.search holds. Another meaning needs all rows written anew, hence a new name.
-- Locks: none.
-- Errors: 54000 when the words take more than a tsvector holds (1 MiB).

CREATE OR REPLACE FUNCTION message_search_vector(search_text text, stream_id integer, conversation_id bigint, sender_id integer, message_id bigint)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('english', search_text) || array_to_tsvector(array_remove(ARRAY[
    'S' || stream_id::text, 'C' || conversation_id::text, 'U' || sender_id::text, 'W' || (message_id / 4096)::text,
    'B' || (message_id / 65536)::text], NULL))
$$;
