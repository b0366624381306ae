/** What the thread that reads mails reports of one. */

export type MailFile = { readonly name: string; readonly content: Uint8Array };

export type MailContent = {
  /** A program wrote it: an automatic answer, a bounce, or a mailing list. */
  readonly isAutomatic: boolean;
  /** Of the mail itself; undefined if it has none. */
  readonly messageId: string | undefined;
  /** What its sender wrote, without what is quoted; may be empty. */
  readonly answer: string;
  /** At most `filesMax`. */
  readonly files: readonly MailFile[];
  /** How many more files the mail has. */
  readonly filesLeftOut: number;
};

export type MailReport =
  | { readonly kind: 'read'; readonly mail: MailContent }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'late' };

export const filesMax = 10;
