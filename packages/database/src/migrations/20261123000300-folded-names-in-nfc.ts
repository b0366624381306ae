/** Folded texts are in NFC, as the fold function gives them: some letters are several characters in upper case. */
export const name = '20261123000300-folded-names-in-nfc';

/** What differs from another one in nothing but what is mended here stays as it is, since it could not be told from that any more. */
function normalizeColumn(table: string, column: string, sameScope: string): string {
  return `UPDATE ${table} named SET ${column} = normalize(${column}, NFC)
    WHERE ${column} IS NOT NFC NORMALIZED AND NOT EXISTS (SELECT FROM ${table} other
      WHERE other.${column} <> named.${column} AND normalize(other.${column}, NFC) = normalize(named.${column}, NFC) ${sameScope});`;
}

/** An account signs in by one of two addresses, and no other account by the same. */
function normalizeAddress(column: string): string {
  return `UPDATE users named SET ${column} = normalize(${column}, NFC)
    WHERE ${column} IS NOT NFC NORMALIZED AND NOT EXISTS (SELECT FROM users other WHERE other.id <> named.id
      AND normalize(named.${column}, NFC) IN (normalize(other.email_folded, NFC), normalize(other.delivery_email_folded, NFC)));`;
}

export const sql = `
${normalizeAddress('email_folded')}
${normalizeAddress('delivery_email_folded')}
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
