-- Finds the pictures in a rendering. They are read from the rendering, so that no write needs to store them and an edit or a deletion
-- takes effect at once. No author can forge the pattern, because angle brackets are escaped in texts and attributes.
--
-- Arguments: html: a rendered text.
-- Returns: MD5 hashes of the pictures' addresses, as encoded in the rendering. Indexes contain them, so another meaning requires a
--   new name and new indexes.
-- Locks: none.
-- Errors: none.

CREATE OR REPLACE FUNCTION message_thumbnails(html text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(md5(found[1])), '{}') FROM regexp_matches(html,
    '<img data-src-fullsize="[^"]*" src="/thumbnail[?]url=([^"&]*)&amp;size=thumbnail">', 'g') found
$$;
