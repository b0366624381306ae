/**
 * The only folding of names for comparison: stream names, topics, email addresses, full names. The result is stored in a column beside the
 * name. SQL never folds case itself, so that every process and every index agrees.
 *
 * @returns the text fully upper-cased by Unicode's rules (reference facts, streams 3.5), in NFC, so that folding a folded text changes
 *   nothing
 */
export function foldName(text: string): string {
  // Some letters, such as ΐ, are several characters in upper case, which NFC combines differently.
  return text.normalize('NFC').toUpperCase().normalize('NFC');
}
