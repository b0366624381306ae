/** What searches for phrases need of the database. */
export const name = '20261121000200-search-phrases';

export const sql = `
-- Folds the case of a text as far as a comparison with given phrases needs it, by the table that the caller makes from the one
-- fold function: each of \`characters\` becomes the one at the same place in \`folded\`, each of \`expanding\` becomes several.
-- NFC comes first, as in the fold function. All characters of \`expanding\` are outside of ASCII.
CREATE FUNCTION fold_by_table(value text, characters text, folded text, expanding text[], expansions text[])
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
  IF octet_length(value) <> char_length(value) THEN
    value := normalize(value, NFC);
    FOR i IN 1 .. cardinality(expanding) LOOP
      value := replace(value, expanding[i], expansions[i]);
    END LOOP;
  END IF;
  RETURN translate(value, characters, folded);
END $$;
`;
