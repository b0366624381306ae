/// <reference types="vite/client" />

declare module 'virtual:emoji-catalogue' {
  /** Categories, each with emoji as code and names, the canonical one first, with spaces between. */
  export const categories: readonly (readonly [name: string, emoji: readonly string[]])[];
}
