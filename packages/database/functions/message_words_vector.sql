-- The words of a message, with lexemes for its place. No word begins with an upper-case letter, so one look-up finds words within a stream (S),
-- a conversation (C), of a sender (U) or in a window of 4,096 (W) or 65,536 (B) ids. Words have no positions.
--
-- Each number is cast, because joining an uncast one to a text counts as stable. Postgres does not expand an immutable function with
-- stable parts into the calling statement, but parses and plans it for each run of that statement.
--
-- Arguments: words: the words that find the message, as searchWords of packages/store gives them, separated by spaces. The others are columns
--   of its row; stream_id may be null.
-- Returns: the value of messages.search. Another meaning requires that all rows are written again, and so a new name.
-- Locks: none.
-- Errors: 54000 if the words exceed the size of a tsvector (1 MiB).

CREATE OR REPLACE FUNCTION message_words_vector(words text, stream_id integer, conversation_id bigint, sender_id integer, message_id bigint)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (words || coalesce(' S' || stream_id::text, '') || ' C' || conversation_id::text || ' U' || sender_id::text
    || ' W' || (message_id / 4096)::text || ' B' || (message_id / 65536)::text)::tsvector
$$;
