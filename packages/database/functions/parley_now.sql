-- The time, for all statements and defaults: when the client's statement arrived, or what the setting parley.now of the session says, by which
-- tests move it. It is the same in the whole statement, so indexes serve conditions with it, and it does not advance while the statement waits
-- for a lock. Unlike now(), it advances within a transaction. Where time stands, all statements have one time: rows whose order or difference
-- matters must get theirs from the rows before (as in addAlertWords and setApiKeys).
--
-- Postgres expands it into the calling statement, if it stays one expression whose parts are no more volatile than it. The body is parsed here,
-- because one in quotes would be parsed at each planning of a statement, which costs more than the rest, and with the session's search path.
--
-- Arguments: none.
-- Returns: the time.
-- Locks: none.
-- Errors: 22007 if parley.now is not a time.

CREATE OR REPLACE FUNCTION parley_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(nullif(current_setting('parley.now', true), '')::timestamptz, statement_timestamp());
