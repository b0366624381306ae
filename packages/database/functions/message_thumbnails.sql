-- Finds the pictures that a rendering shows. They are read from the rendering, so that no write has to know of them and an edit or a
-- deletion takes effect at once. The pattern cannot be forged by an author, whose angle brackets are escaped in texts and attributes
-- alike.
--
-- Arguments: html: a rendered text.
-- Returns: MD5 hashes of the pictures' addresses, as they are encoded in the rendering. Indexes hold them: another meaning needs a new
--   name and new indexes.
-- Locks: none.
-- Errors: none.

CREATE OR REPLACE FUNCTION message_thumbnails(html text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(md5(found[1])), '{}') FROM regexp_matches(html,
    '<img data-src-fullsize="[^"]*" src="/thumbnail[?]url=([^"&]*)&amp;size=thumbnail">', 'g') found
$$;
