/** What a push says. The server writes it, and the service worker of the web client shows it in its own words. */
export type PushPayload = {
  readonly v: 1;
  /** The conversation in which something is new, as it is now. */
  readonly notice: {
    /** The same for all pushes about the conversation. */
    readonly conversation_id: number;
    readonly place:
      | { readonly type: 'private' }
      | { readonly type: 'stream'; readonly stream: string; readonly topic: string };
    /** Of the newest message, as are the words; null where they are not to be shown. */
    readonly sender: string;
    readonly text: string | null;
    /** Where clients show the first of the messages, beginning with `/`. */
    readonly url: string;
    /** How many messages the notification stands for, and the newest of them: those that are unread and were pushed. */
    readonly count: number;
    readonly message_ids: readonly number[];
  };
  /** Messages that were pushed and are no longer to be shown, because they were read, changed or deleted. */
  readonly gone: readonly number[];
};
