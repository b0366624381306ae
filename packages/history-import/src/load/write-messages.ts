/** Writes prepared messages with all that belongs to them. */
import { findTextWidget } from '@parley/composing';
import type { Client } from '@parley/database';
import type { EditRecord } from '@parley/store';
import {
  addReceiptRuns,
  insertImportedEdits,
  insertImportedFlags,
  insertImportedMessages,
  insertImportedWidgets,
  linkImportedFiles,
} from '@parley/store/imports';
import type { ImportedEdit, ImportedMessage } from '@parley/store/imports';

import type { Ledger } from '../ledger.ts';
import type { Source } from '../records.ts';
import type { RenderedText } from '../rendering/render-texts.ts';
import { Conversations } from './conversations.ts';
import type { Conversation } from './conversations.ts';
import type { LoadedExtras } from './load-extras.ts';
import { streamOf, userIdOf } from './loaded-directory.ts';
import type { LoadedDirectory } from './loaded-directory.ts';
import { MessageReceipts } from './message-receipts.ts';
import type { PreparedMessage } from './prepare-messages.ts';

/** The edits of a message: rows of the past, oldest first, and the list that the message itself shows, newest first. */
function editsOf(
  { record, number, content, earlier, text }: PreparedMessage,
  userIdOf: (person: number) => number,
): { readonly rows: readonly ImportedEdit[]; readonly shown: readonly EditRecord[] } {
  const rows: ImportedEdit[] = [];
  const shown: EditRecord[] = [];
  let state = {
    topic: 'stream' in record.to ? record.to.topic : '',
    content,
    rendered_content: text.html,
  };
  let nth = 0;
  for (const { editor, editedAt, previousContent, previousTopic } of record.edits) {
    const past = previousContent === undefined ? undefined : text.earlier[nth];
    const pastContent = past === undefined ? undefined : earlier[nth];
    if (previousContent !== undefined) nth += 1;
    const editorId = userIdOf(editor ?? record.sender);
    rows.push({
      message_id: number.id,
      editor_id: editorId,
      edited_at: editedAt,
      ...state,
      prev_topic: previousTopic ?? null,
      prev_content: pastContent ?? null,
      prev_rendered_content: past?.html ?? null,
      content_html_diff: past?.diff ?? null,
    });
    shown.push({
      user_id: editorId,
      timestamp: Math.floor(editedAt),
      ...(previousTopic === undefined ? {} : { prev_subject: previousTopic }),
      ...(past === undefined || pastContent === undefined
        ? {}
        : {
            prev_content: pastContent,
            prev_rendered_content: past.html,
            prev_rendered_content_version: 1,
          }),
    });
    state = {
      topic: previousTopic ?? state.topic,
      content: pastContent ?? state.content,
      rendered_content: past?.html ?? state.rendered_content,
    };
  }
  return { rows: rows.toReversed(), shown };
}

const defaultClient = 'website';

/** Writes prepared messages, one batch after the other. */
export class MessageWriter {
  readonly conversations: Conversations;
  readonly #receipts: MessageReceipts;
  readonly #client: Client;
  readonly #directory: LoadedDirectory;
  readonly #ledger: Ledger;
  readonly #kind: string;
  readonly #positionAbove: number;
  readonly #openersOf: LoadedExtras['openersOf'];

  constructor(options: {
    readonly client: Client;
    readonly source: Source;
    readonly directory: LoadedDirectory;
    readonly ledger: Ledger;
    readonly positionAbove: number;
  }) {
    this.#client = options.client;
    this.#directory = options.directory;
    this.conversations = new Conversations(options.client, options.directory);
    this.#receipts = new MessageReceipts(options.directory);
    this.#ledger = options.ledger;
    this.#kind = options.source.kinds.message;
    this.#positionAbove = options.positionAbove;
    this.#openersOf = options.directory.extras.openersOf;
  }

  async write(prepared: readonly PreparedMessage[]): Promise<void> {
    if (prepared.length === 0) return;
    await this.conversations.findTopics(prepared.map(({ record }) => record.to));
    const rows: ImportedMessage[] = [];
    const edits: ImportedEdit[] = [];
    const placed = new Map<number, Conversation>();
    for (const message of prepared) {
      const conversation = await this.conversations.of(message.record.to, message.record.sender);
      const { rows: past, shown } = editsOf(message, (person) => userIdOf(this.#directory, person));
      placed.set(message.number.id, conversation);
      rows.push(this.#rowOf(message, conversation, shown));
      edits.push(...past);
    }
    const written = await insertImportedMessages(this.#client, rows, this.#positionAbove);
    const fresh = prepared.filter(({ record, number }) => {
      if (written.delete(number.id)) return true;
      this.#ledger.merged(this.#kind, 'another message has its key', record.place);
      return false;
    });
    this.#ledger.imported(this.#kind, fresh.length);
    const freshIds = new Set(fresh.map(({ number }) => number.id));
    await insertImportedEdits(
      this.#client,
      edits.filter((edit) => freshIds.has(edit.message_id)),
    );
    await linkImportedFiles(
      this.#client,
      fresh.flatMap(({ record, text, number }) =>
        this.#pathsIn(text, record.key).map((pathId) => ({ messageId: number.id, pathId })),
      ),
    );
    await insertImportedWidgets(
      this.#client,
      fresh.flatMap(({ record, number, content: text }) => {
        const content = findTextWidget(text);
        const senderId = userIdOf(this.#directory, record.sender);
        return content === undefined ? [] : { messageId: number.id, senderId, content };
      }),
    );
    const flags = fresh.flatMap((message) =>
      this.#receipts.receive(message, placed.get(message.number.id)?.id ?? 0),
    );
    await insertImportedFlags(this.#client, flags);
    await addReceiptRuns(this.#client, this.#receipts.runs.take());
  }

  /** Writes what waits for further messages. */
  async end(): Promise<void> {
    for (const runs of this.#receipts.runs.end()) await addReceiptRuns(this.#client, runs);
  }

  #pathsIn(text: RenderedText, messageKey: string): string[] {
    return text.attachmentPathIds.filter((path) => {
      const openers = this.#openersOf.get(path);
      return this.#openersOf.has(path) && (openers === undefined || openers.has(messageKey));
    });
  }

  #rowOf(
    { record, number, content, text }: PreparedMessage,
    conversation: Conversation,
    shown: readonly EditRecord[],
  ): ImportedMessage {
    const { to, sender, sentAt, client, lastEditedAt } = record;
    const isStream = 'stream' in to;
    return {
      id: number.id,
      sender_id: userIdOf(this.#directory, sender),
      stream_id: isStream ? streamOf(this.#directory, to.stream).id : null,
      conversation_id: conversation.id,
      recipient_id: conversation.recipientId,
      topic: isStream ? to.topic : '',
      content,
      rendered_content: text.html,
      client: client === '' ? defaultClient : client,
      // Messages here have whole seconds.
      sent_at: Math.floor(sentAt),
      is_me_message: text.isMeMessage,
      has_link: text.hasLink,
      has_image: text.hasImage,
      has_attachment: this.#pathsIn(text, record.key).length > 0,
      // Receipts say what the sender has read, too.
      read_by_sender: !this.#directory.hasReceipts,
      mentions_wildcard: text.mentionsWildcard,
      subject_links: text.subjectLinks.length === 0 ? null : text.subjectLinks,
      last_edited_at:
        lastEditedAt === undefined ? (shown[0]?.timestamp ?? null) : Math.floor(lastEditedAt),
      edit_history: shown.length === 0 ? null : shown,
      search_words: text.searchWords,
    };
  }
}
