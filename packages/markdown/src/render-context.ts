/**
 * The possible references of a message, looked up before rendering so that rendering stays pure and synchronous. `mentionCandidates` finds
 * the names to look up.
 */
export type RenderContext = {
  /** Without a trailing slash, for example `https://chat.example.com`. */
  realmUri: string;
  /** Active users of the realm with this full name, compared case-insensitively; may be several. */
  usersByName(name: string): readonly { id: number; fullName: string }[];
  /** An active user of the realm. */
  userById(id: number): { id: number; fullName: string } | undefined;
  /** The user of an avatar reference; without one `!avatar(..)` shows the address itself. */
  userByEmail?(email: string): { id: number } | undefined;
  /** Whether `@**all**`, `@**everyone**` and `@**stream**` mean everybody; otherwise they are ordinary names. */
  hasWildcards: boolean;
  /** Exact, case-sensitive name. */
  groupByName(name: string): { id: number; name: string } | undefined;
  /** Exact, case-sensitive name; only streams that the sender may link. */
  streamByName(name: string): { id: number; name: string } | undefined;
  /** An active custom emoji of the realm. */
  realmEmoji(name: string): { id: string; url: string } | undefined;
  /** In the realm's order. */
  linkifiers: readonly Linkifier[];
  settings: RenderSettings;
};

export type Linkifier = { pattern: string; urlFormat: string; id: number };

export type RenderSettings = {
  inlineImagePreview: boolean;
  /** Bare `file:///` links; off when absent. */
  fileLinks?: boolean;
  /** The sender's own setting; off when absent. */
  translateEmoticons?: boolean;
};

export type RenderedMessage = {
  html: string;
  /** Silent mentions are never counted. Ascending. */
  mentionedUserIds: number[];
  mentionedGroupIds: number[];
  mentionsWildcard: boolean;
  hasLink: boolean;
  hasImage: boolean;
  /** Path ids of linked uploads of this realm, in order of first appearance. */
  attachmentPathIds: string[];
  isMeMessage: boolean;
};

/** The message cannot be rendered; a send or an edit answers 400 (reference facts, markdown 15). */
export class UnableToRender extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`Unable to render message: ${reason}`, options);
    this.name = 'UnableToRender';
  }
}
