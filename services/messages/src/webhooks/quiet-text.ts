/**
 * Makes mentions in a payload silent (docs/decisions/0016): strangers write payloads, and the author of a commit must not be able to notify
 * a whole stream.
 */
import { withoutDroppedCharacters } from '@parley/markdown';

// Of every `@` that begins a mention (reference facts, markdown 7); those that are silent already have an underscore.
const personMention = /@(?=\*\*)/g;
const groupMention = /@(?=\*)/g;

/**
 * @returns the text with silent mentions of people and without mentions of groups; characters that would hide a mention until they are
 *   dropped are removed
 */
export function withoutMentions(text: string): string {
  // Groups have no silent form: a zero-width space separates the sign from the name.
  return withoutDroppedCharacters(text)
    .replaceAll(personMention, '@_')
    .replaceAll(groupMention, '@\u200b');
}
