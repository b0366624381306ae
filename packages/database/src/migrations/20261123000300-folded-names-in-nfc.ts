/** Folded texts are in NFC, as the fold function gives them: some letters are several characters in upper case. */
export const name = '20261123000300-folded-names-in-nfc';

/** Names that differ in nothing but what is mended here stay as they are: one of them has to be renamed by somebody. */
function normalizeColumn(table: string, column: string, sameScope: string): string {
  return `UPDATE ${table} named SET ${column} = normalize(${column}, NFC)
    WHERE ${column} IS NOT NFC NORMALIZED AND NOT EXISTS (SELECT FROM ${table} other
      WHERE other.${column} <> named.${column} AND normalize(other.${column}, NFC) = normalize(named.${column}, NFC) ${sameScope});`;
}

export const sql = `
${normalizeColumn('users', 'email_folded', '')}
${normalizeColumn('users', 'delivery_email_folded', '')}
UPDATE users SET full_name_folded = normalize(full_name_folded, NFC) WHERE full_name_folded IS NOT NFC NORMALIZED;
${normalizeColumn('streams', 'name_folded', '')}
${normalizeColumn('conversations', 'topic_folded', 'AND other.stream_id = named.stream_id')}
${normalizeColumn('muted_topics', 'topic_folded', 'AND other.user_id = named.user_id AND other.stream_id = named.stream_id')}

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
`;
