/** Made by a plugin of the build: `build/emoji-catalogue.ts`. */
declare module 'virtual:emoji-catalogue' {
  /** Categories, each with emoji as code and names, the canonical one first, with spaces between. */
  export const categories: readonly (readonly [name: string, emoji: readonly string[]])[];
}
