/**
 * Gives the client the Unicode emoji of the server's renderer as a module, `virtual:emoji-catalogue`: the names that messages and reactions
 * know are in one place of the repository.
 */
import { listEmojiByCategory } from '@parley/markdown/emoji-catalogue';
import type { Plugin } from 'vite';

const moduleName = 'virtual:emoji-catalogue';
/** Vite's mark of modules that are no files. */
const resolvedName = `\0${moduleName}`;

export function emojiCatalogue(): Plugin {
  return {
    name: 'emoji-catalogue',
    resolveId: (name) => (name === moduleName ? resolvedName : undefined),
    load(name) {
      if (name !== resolvedName) return undefined;
      const categories = [...listEmojiByCategory()].map(([category, listed]) => [
        category,
        listed.map(({ code, names }) => [code, ...names].join(' ')),
      ]);
      return `export const categories = ${JSON.stringify(categories)};`;
    },
  };
}
