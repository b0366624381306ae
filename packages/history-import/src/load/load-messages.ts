/** Writes messages with all that belongs to them: batches are prepared and rendered while earlier ones are written. */
import type { Client } from '@parley/database';
import type { FlagName } from '@parley/store';
import { ensurePrivateConversation, flagBits } from '@parley/store';
import {
  addReceiptRuns,
  ensureImportedTopics,
  findMessageNumbers,
  insertImportedEdits,
  insertImportedFlags,
  insertImportedMessages,
  insertImportedReactions,
  linkImportedFiles,
} from '@parley/store/imports';
import type { EditRecord } from '@parley/store';
import type {
  ImportedEdit,
  ImportedFlags,
  ImportedMessage,
  ImportedReaction,
  MessageNumber,
} from '@parley/store/imports';
import { foldName } from '@parley/api';
import { extraEmoji } from '@parley/markdown';
import { LRUCache } from 'lru-cache';

import type { Ledger } from '../ledger.ts';
import type { MessageLinks, MessageRecord, ReactionRecord, Source } from '../records.ts';
import type { RenderThreads } from '../rendering/render-threads.ts';
import type { RenderedText } from '../rendering/render-texts.ts';
import type { LoadedExtras } from './load-extras.ts';
import type { LoadedPeople } from './load-people.ts';
import type { LoadedStreams } from './load-streams.ts';
import { ReceiptRuns } from './receipt-runs.ts';

export const defaultClient = 'website';
const conversationsKept = 100_000;

export type LoadedDirectory = {
  readonly people: LoadedPeople;
  readonly streams: LoadedStreams;
  readonly extras: LoadedExtras;
  /** Whether each person can hold messages: bots that only react cannot. */
  readonly canHold: readonly boolean[];
  readonly hasReceipts: boolean;
};

type Conversation = { readonly id: number; readonly recipientId: number };

/** A message that waits to be written. */
export type PreparedMessage = {
  readonly record: MessageRecord;
  readonly number: MessageNumber;
  readonly content: string;
  readonly earlier: readonly string[];
  readonly text: RenderedText;
};

/** Brings texts in their last form and renders them. */
export class MessagePreparer {
  readonly #client: Client;
  readonly #links: MessageLinks;
  readonly #threads: RenderThreads;
  readonly #directory: LoadedDirectory;
  readonly #ledger: Ledger;
  readonly #kind: string;

  constructor(options: {
    readonly client: Client;
    readonly source: Source;
    readonly threads: RenderThreads;
    readonly directory: LoadedDirectory;
    readonly ledger: Ledger;
  }) {
    this.#client = options.client;
    this.#links = options.source.links;
    this.#kind = options.source.kinds.message;
    this.#threads = options.threads;
    this.#directory = options.directory;
    this.#ledger = options.ledger;
  }

  async prepare(records: readonly MessageRecord[]): Promise<readonly PreparedMessage[]> {
    const textsOf = ({ content, edits }: MessageRecord): string[] => [
      content,
      ...edits.flatMap(({ previousContent }) => previousContent ?? []),
    ];
    const linked = records.flatMap((record) =>
      textsOf(record).flatMap((text) => this.#links.find(text)),
    );
    const numbers = await findMessageNumbers(this.#client, [
      ...new Set([...records.map(({ key }) => key), ...linked]),
    ]);
    const known = records.flatMap((record) => {
      const number = numbers.get(record.key);
      if (number === undefined)
        this.#ledger.skipped(this.#kind, 'the first reading did not find it', record.place);
      return number === undefined ? [] : [{ record, number }];
    });
    const idOf = (key: string): number | undefined => numbers.get(key)?.id;
    const mended = known.map(({ record, number }) => {
      const [content = '', ...earlier] = textsOf(record).map((text) =>
        this.#links.mend(text, idOf),
      );
      return { record, number, content, earlier };
    });
    const texts = await this.#threads.render(
      mended.map(({ record, content, earlier }) => ({
        topic: 'stream' in record.to ? record.to.topic : '',
        content,
        linkableIds: content.includes('#**')
          ? this.#directory.streams.privateStreamIdsOf(record.sender)
          : [],
        earlier,
      })),
    );
    return mended.flatMap((message, n) => {
      const text = texts[n];
      if (text === undefined) throw new Error('a text was not rendered');
      if (text.isPlain)
        this.#ledger.remark('texts that are too long for markup are shown as they are');
      return [{ ...message, text }];
    });
  }
}

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

const bit = (flag: FlagName): number => flagBits[flag];

/** Writes prepared messages, one batch after the other. */
export class MessageWriter {
  readonly runs = new ReceiptRuns();
  readonly #client: Client;
  readonly #directory: LoadedDirectory;
  readonly #ledger: Ledger;
  readonly #kind: string;
  readonly #positionAbove: number;
  readonly #conversations = new LRUCache<string, Conversation>({ max: conversationsKept });
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
    this.#ledger = options.ledger;
    this.#kind = options.source.kinds.message;
    this.#positionAbove = options.positionAbove;
    this.#openersOf = options.directory.extras.openersOf;
  }

  readonly #userId = (person: number): number => {
    const user = this.#directory.people.users[person];
    if (user === undefined) throw new Error('a message refers to nobody');
    return user.id;
  };

  async write(prepared: readonly PreparedMessage[]): Promise<void> {
    if (prepared.length === 0) return;
    await this.#findTopics(prepared);
    const rows: ImportedMessage[] = [];
    const edits: ImportedEdit[] = [];
    const placed = new Map<number, Conversation>();
    for (const message of prepared) {
      const conversation = await this.conversationOf(message.record.to, message.record.sender);
      const { rows: past, shown } = editsOf(message, this.#userId);
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
    const flags = fresh.flatMap((message) =>
      this.#receive(message, placed.get(message.number.id)?.id ?? 0),
    );
    await insertImportedFlags(this.#client, flags);
    await addReceiptRuns(this.#client, this.runs.take());
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
      sender_id: this.#userId(sender),
      stream_id: isStream ? this.#streamOf(to.stream).id : null,
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
      search_text: text.searchText,
    };
  }

  #streamOf(index: number): LoadedStreams['streams'][number] {
    const stream = this.#directory.streams.streams[index];
    if (stream === undefined) throw new Error('a message refers to no stream');
    return stream;
  }

  /** Finds the conversations of all topics of a batch at once. */
  async #findTopics(prepared: readonly PreparedMessage[]): Promise<void> {
    const wanted = new Map<string, { streamId: number; topic: string; recipientId: number }>();
    for (const { record } of prepared) {
      if (!('stream' in record.to)) continue;
      const stream = this.#streamOf(record.to.stream);
      const key = topicKey(stream.id, record.to.topic);
      if (!this.#conversations.has(key))
        wanted.set(key, {
          streamId: stream.id,
          topic: record.to.topic,
          recipientId: stream.recipientId,
        });
    }
    const ids = await ensureImportedTopics(this.#client, [...wanted.values()]);
    [...wanted].forEach(([key, { recipientId }], n) => {
      this.#conversations.set(key, { id: ids[n] ?? 0, recipientId });
    });
  }

  /** @returns where messages to a place go, made if it is new */
  async conversationOf(to: MessageRecord['to'], sender: number): Promise<Conversation> {
    if ('stream' in to) {
      const stream = this.#streamOf(to.stream);
      const key = topicKey(stream.id, to.topic);
      const known = this.#conversations.get(key);
      if (known !== undefined) return known;
      const [id = 0] = await ensureImportedTopics(this.#client, [
        { streamId: stream.id, topic: to.topic },
      ]);
      return { id, recipientId: stream.recipientId };
    }
    const ids = to.participants.map(this.#userId).toSorted((a, b) => a - b);
    const key = ids.join(',');
    const found = this.#conversations.get(key);
    const { id, recipientId } = found ?? (await ensurePrivateConversation(this.#client, ids));
    this.#conversations.set(key, { id, recipientId: recipientId ?? 0 });
    if (recipientId !== null && recipientId !== 0) return { id, recipientId };
    const addressee = to.participants.find((person) => person !== sender) ?? sender;
    return { id, recipientId: this.#directory.people.users[addressee]?.recipientId ?? 0 };
  }

  /** Notes who got the message. @returns the flags that do not follow from it */
  #receive(message: PreparedMessage, conversationId: number): ImportedFlags[] {
    return this.#directory.hasReceipts
      ? this.#receiveByRows(message, conversationId)
      : this.#receiveByMembership(message);
  }

  #receiveByRows(message: PreparedMessage, conversationId: number): ImportedFlags[] {
    const { record, number, text } = message;
    const { canHold } = this.#directory;
    const scope = 'stream' in record.to ? this.#streamOf(record.to.stream).id : -conversationId;
    const implied = text.mentionsWildcard ? bit('wildcard_mentioned') : 0;
    const flags: ImportedFlags[] = [];
    const { people = [], flags: bits = [] } = record.receipts ?? {};
    for (let n = 0; n < people.length; n += 1) {
      const person = people[n] ?? 0;
      if (canHold[person] !== true) continue;
      const own = bits[n] ?? 0;
      const userId = this.#userId(person);
      this.runs.add(userId, scope, number, (own & bit('read')) !== 0);
      const setBits = own & ~bit('read') & ~implied;
      const clearedBits = implied & ~own;
      if ((setBits | clearedBits) !== 0)
        flags.push({ userId, messageId: number.id, setBits, clearedBits });
    }
    // Everybody holds the private messages of a conversation; without a row they were never unread.
    if ('participants' in record.to)
      for (const person of record.to.participants)
        if (canHold[person] === true && !people.includes(person))
          this.runs.add(this.#userId(person), scope, number, true);
    return flags;
  }

  #receiveByMembership({ record, number, text }: PreparedMessage): ImportedFlags[] {
    const members =
      'stream' in record.to
        ? this.#directory.streams.members[record.to.stream]
        : new Set(record.to.participants);
    const userIds = new Set([...(members ?? [])].map(this.#userId));
    const bits = new Map<number, number>();
    for (const userId of text.mentionedUserIds)
      if (userIds.has(userId)) bits.set(userId, bit('mentioned'));
    for (const person of record.starredBy ?? []) {
      const userId = this.#userId(person);
      if (userIds.has(userId)) bits.set(userId, (bits.get(userId) ?? 0) | bit('starred'));
    }
    return [...bits].map(([userId, setBits]) => ({
      userId,
      messageId: number.id,
      setBits,
      clearedBits: 0,
    }));
  }
}

function topicKey(streamId: number, topic: string): string {
  return `${streamId} ${foldName(topic)}`;
}

/** Writes reactions, whose messages are there. */
export async function writeReactions(
  client: Client,
  reactions: readonly ReactionRecord[],
  loaded: { readonly directory: LoadedDirectory; readonly ledger: Ledger; readonly kind: string },
): Promise<void> {
  const { directory, ledger, kind } = loaded;
  const numbers = await findMessageNumbers(client, [
    ...new Set(reactions.map(({ messageKey }) => messageKey)),
  ]);
  const found: ImportedReaction[] = [];
  for (const { place, messageKey, person, emoji, reactedAt } of reactions) {
    const messageId = numbers.get(messageKey)?.id;
    const user = directory.people.users[person];
    const shown = shownEmoji(emoji, directory.extras);
    if (messageId === undefined || user === undefined)
      ledger.skipped(kind, 'its message was not imported', place);
    else if (shown === undefined) ledger.skipped(kind, 'its emoji was not imported', place);
    else found.push({ messageId, userId: user.id, ...shown, reactedAt });
  }
  const { written, missing } = await insertImportedReactions(client, found);
  ledger.imported(kind, written);
  ledger.left(kind, 'its message was not imported', missing);
  ledger.mergedMany(
    kind,
    'the person has reacted with this emoji before',
    found.length - written - missing,
  );
}

function shownEmoji(
  emoji: ReactionRecord['emoji'],
  { emoji: loaded }: LoadedExtras,
): Pick<ImportedReaction, 'name' | 'code' | 'type'> | undefined {
  switch (emoji.kind) {
    case 'unicode':
      return { name: emoji.name, code: emoji.code, type: 'unicode_emoji' };
    case 'extra':
      return { name: extraEmoji.name, code: extraEmoji.code, type: 'zulip_extra_emoji' };
    case 'custom': {
      const found = loaded[emoji.emoji];
      return found && { name: found.name, code: String(found.id), type: 'realm_emoji' };
    }
  }
}
