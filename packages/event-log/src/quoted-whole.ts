/**
 * A text as a constant of SQL between dollar signs, which leave it as it is: doubling the quotes of an entry of ten megabytes takes
 * longer than Postgres lets a transaction be idle.
 *
 * @param text without U+0000, which no text of Postgres has
 */
export function quotedWhole(text: string): string {
  let tag = 0;
  // Without its closing dollar sign: the text could end in the rest of the tag.
  while (text.includes(`$e${tag}`)) tag += 1;
  return `$e${tag}$${text}$e${tag}$`;
}
