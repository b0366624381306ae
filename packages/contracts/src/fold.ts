/**
 * The one folding of names for comparison: stream names, topics, email addresses, full names. The result is stored in a
 * column beside the name; SQL never folds case itself, so that every process and every index agrees.
 *
 * @returns the text in NFC, fully upper-cased by Unicode's rules (reference facts, streams 3.5)
 */
export function foldName(text: string): string {
  return text.normalize('NFC').toUpperCase();
}
