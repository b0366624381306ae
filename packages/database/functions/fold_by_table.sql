-- Folds the case of a text as far as a comparison with given phrases needs it. ASCII letters are folded as a whole, because the
-- collation C folds nothing else. For other characters the caller makes a table from the one fold function. NFC comes first and last,
-- as in the fold function, because some letters are several characters in upper case. `translate` compares every character with the
-- whole table, so the cost depends on the length of the table.
--
-- Arguments: value: the text. characters, folded: each character of the first becomes the one at the same place in the second.
--   expanding, expansions: each element of the first, one character outside of ASCII, becomes the element of the second.
-- Returns: the folded text; null if an argument is null.
-- Locks: none.
-- Errors: none.

CREATE OR REPLACE FUNCTION fold_by_table(value text, characters text, folded text, expanding text[], expansions text[])
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
  IF octet_length(value) = char_length(value) THEN
    RETURN upper(value COLLATE "C");
  END IF;
  value := normalize(value, NFC);
  FOR i IN 1 .. cardinality(expanding) LOOP
    value := replace(value, expanding[i], expansions[i]);
  END LOOP;
  RETURN normalize(translate(upper(value COLLATE "C"), characters, folded), NFC);
END $$;
