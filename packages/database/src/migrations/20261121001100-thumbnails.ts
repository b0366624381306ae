/** Lets `/thumbnail` find out which messages show a picture. */
export const name = '20261121001100-thumbnails';

export const sql = `
-- Read from the rendering, so that no write has to know of it and an edit or a deletion takes effect at once. The pattern cannot be
-- forged by an author, whose angle brackets are escaped in texts and attributes alike. Its dot is a question mark, which would be taken
-- for a parameter here.
CREATE FUNCTION message_thumbnails(html text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(md5(found[1])), '{}') FROM regexp_matches(html,
    '<img data-src-fullsize="[^"]*" src="/thumbnail.url=([^"&]*)&amp;size=thumbnail">', 'g') found
$$;
COMMENT ON FUNCTION message_thumbnails IS 'hashes of the addresses, as they are encoded in the rendering, of the pictures that it shows';

CREATE INDEX messages_by_thumbnail ON messages USING gin (message_thumbnails(rendered_content)) WITH (fastupdate = off) WHERE has_image;
`;
