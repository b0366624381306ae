/** Messages with who got them, file by file, in the reference server's export. */
import { limits } from '@parley/api';

import type { SpooledArchive } from '../../archive/spooled-archive.ts';
import { RecordFault } from '../../import-fault.ts';
import type { Ledger } from '../../ledger.ts';
import { Row, isRecord } from '../../reading/row.ts';
import { cutTo } from '../../reading/names.ts';
import { parseRun, readElements } from '../../reading/json-elements.ts';
import { MemoryBudget } from '../../reading/memory-budget.ts';
import type { EditChange, MessageBatch, MessageKey, MessageRecord } from '../../records.ts';
import { ReceiptRows } from './receipt-rows.ts';
import type { ZulipPeople } from './zulip-people.ts';
import type { Recipient, ZulipMemberships } from './zulip-memberships.ts';
import type { ZulipStreams } from './zulip-streams.ts';
import { readTables } from './zulip-tables.ts';
import type { PlacedRow } from './zulip-tables.ts';
import type { ZulipTexts } from './zulip-texts.ts';

export type MessageFacts = {
  readonly archive: SpooledArchive;
  readonly files: readonly string[];
  readonly people: ZulipPeople;
  readonly streams: ZulipStreams;
  readonly memberships: ZulipMemberships;
  readonly isSortedByDate: boolean;
  readonly ledger: Ledger;
};

/** A private conversation of these people, whoever wrote to whom. */
function scopeOf(recipient: Recipient, sender: number): string {
  if (recipient.kind === 'stream') return `s${recipient.stream}`;
  return `p${participantsOf(recipient, sender).join(',')}`;
}

function participantsOf(
  recipient: Exclude<Recipient, { kind: 'stream' }>,
  sender: number,
): number[] {
  const others = recipient.kind === 'person' ? [recipient.person] : recipient.people;
  return [...new Set([sender, ...others])].toSorted((a, b) => a - b);
}

const keysPerBatch = 5_000;
/** Of the messages of one file, a thousand as the reference server writes them, and of their receipts. */
const messagesMaxBytes = 256 * 1024 * 1024;
const messageOverheadBytes = 400;
const receiptsMaxBytes = 512 * 1024 * 1024;
const receiptBytes = 40;

const messageBudget = (file: string): MemoryBudget =>
  new MemoryBudget(`The messages of ${file}`, messagesMaxBytes);

/** What the first pass over the messages has seen. */
export type SeenMessages = { privateMessages: number; privateStreamMessages: number };

/** The first pass: keys and order of all messages. What cannot be read is reported by the second. */
export async function* readMessageKeys(
  facts: MessageFacts,
  seen: SeenMessages,
): AsyncGenerator<readonly MessageKey[]> {
  let batch: MessageKey[] = [];
  for (const file of facts.files) {
    const memory = messageBudget(file);
    for await (const run of readElements(file, facts.archive.open(file))) {
      if (run.table !== 'zerver_message' || run.first < 0) continue;
      for (const element of parseRun(run)) {
        if ('weight' in element) memory.take(element.weight + messageOverheadBytes);
        if (!('value' in element) || !isRecord(element.value)) continue;
        const key = keyOf(element.value, facts, seen);
        if (key !== undefined) batch.push(key);
      }
      if (batch.length < keysPerBatch) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function keyOf(
  value: Readonly<Record<string, unknown>>,
  { people, streams, memberships, isSortedByDate }: MessageFacts,
  seen: SeenMessages,
): MessageKey | undefined {
  const { id, sender, recipient } = value;
  const sentAt = Number(value['date_sent'] ?? value['pub_date']);
  if (typeof id !== 'number' || typeof sender !== 'number' || typeof recipient !== 'number')
    return undefined;
  const from = people.indexOf(sender);
  const to = memberships.recipient(recipient);
  if (from === undefined || to === undefined) return undefined;
  memberships.logCheck.see(id, sentAt);
  if (to.kind !== 'stream') seen.privateMessages += 1;
  else if (streams.streams[to.stream]?.isPrivate === true) seen.privateStreamMessages += 1;
  const order = isSortedByDate && Number.isFinite(sentAt) ? sentAt : id;
  return { key: String(id), order, scope: scopeOf(to, from) };
}

/** Rebuilds earlier states from the changes, newest first. */
function editsOf(row: Row, people: ZulipPeople, ledger: Ledger): EditChange[] {
  const text = row.findText('edit_history');
  if (text === undefined || text === '') return [];
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list)) {
    ledger.remark('edit histories that cannot be read');
    return [];
  }
  return list.filter(isRecord).flatMap((change) => {
    const editor = change['user_id'];
    const at = new Row(change).findTime('timestamp');
    const content = change['prev_content'];
    const topic = change['prev_subject'] ?? change['prev_topic'];
    if (at === undefined || (typeof content !== 'string' && typeof topic !== 'string')) return [];
    return [
      {
        editor: typeof editor === 'number' ? people.indexOf(editor) : undefined,
        editedAt: at,
        ...(typeof content === 'string' ? { previousContent: content } : {}),
        ...(typeof topic === 'string' ? { previousTopic: cutTopic(topic) } : {}),
      },
    ];
  });
}

const noTopic = '(no topic)';

function cutTopic(topic: string): string {
  return cutTo(topic.trim(), limits.topicMaxCodePoints).trim() || noTopic;
}

class MessageReader {
  readonly #facts: MessageFacts;
  readonly #texts: ZulipTexts;
  readonly #clients: ReadonlyMap<number, string>;

  constructor(
    facts: MessageFacts,
    more: {
      readonly texts: ZulipTexts;
      readonly clients: ReadonlyMap<number, string>;
    },
  ) {
    this.#facts = facts;
    this.#texts = more.texts;
    this.#clients = more.clients;
  }

  read({ row, place }: PlacedRow, receipts: ReceiptRows): MessageRecord {
    const { people, memberships, ledger } = this.#facts;
    const id = row.integer('id');
    const sender = people.indexOf(row.integer('sender'));
    if (sender === undefined) throw new RecordFault('its sender is not in the archive');
    const recipient = memberships.recipient(row.integer('recipient'));
    if (recipient === undefined) throw new RecordFault('its recipient is not in the archive');
    const sentAt = row.findTime(row.has('date_sent') ? 'date_sent' : 'pub_date');
    if (sentAt === undefined) throw new RecordFault('it has no time');
    const topic = row.findText('subject') ?? '';
    if (recipient.kind === 'stream' && cutTopic(topic) !== topic)
      ledger.remark('topics that were empty or too long');
    const to =
      recipient.kind === 'stream'
        ? { stream: recipient.stream, topic: cutTopic(topic) }
        : { participants: participantsOf(recipient, sender) };
    const edits = editsOf(row, people, ledger).map((edit) =>
      edit.previousContent === undefined
        ? edit
        : { ...edit, previousContent: this.#texts.mend(edit.previousContent) },
    );
    const client = this.#clients.get(row.findInteger('sending_client') ?? -1) ?? '';
    const { missingReceipts, logCheck } = memberships;
    const mayLack = recipient.kind === 'stream' && logCheck.isReliable;
    return {
      place,
      key: String(id),
      sender,
      to,
      content: this.#texts.mend(row.text('content')),
      sentAt,
      client: cutTo(client, limits.clientNameMaxCodePoints),
      lastEditedAt: row.findTime('last_edit_time'),
      edits,
      receipts: receipts.take(id, mayLack ? missingReceipts.peopleOf(recipient.stream, id) : []),
    };
  }
}

/** Reads the files of messages; each is one batch, with all its rows of people. */
export async function* readMessageBatches(
  facts: MessageFacts,
  more: {
    readonly texts: ZulipTexts;
    readonly clients: ReadonlyMap<number, string>;
  },
): AsyncGenerator<MessageBatch> {
  const { archive, files, people, ledger } = facts;
  const reader = new MessageReader(facts, more);
  for (const file of files) {
    const rows: PlacedRow[] = [];
    const messageMemory = messageBudget(file);
    const receiptMemory = new MemoryBudget(`The receipts of ${file}`, receiptsMaxBytes);
    const receipts = new ReceiptRows(people, ledger, file);
    await readTables(
      archive,
      file,
      {
        rows: {
          zerver_message: (row, place, weight) => {
            messageMemory.take(weight + messageOverheadBytes);
            rows.push({ row, place });
          },
          zerver_usermessage: (row, place) => {
            receiptMemory.take(receiptBytes);
            receipts.add(row, place);
          },
        },
        others: (table, place, count) =>
          ledger.skippedMany(table, 'this release does not know the table', place, count),
      },
      ledger,
    );
    receipts.sort(rows.map(({ row }) => row.findInteger('id') ?? -1));
    const messages: MessageRecord[] = [];
    for (const placed of rows) {
      try {
        messages.push(reader.read(placed, receipts));
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        const sample = placed.row.findText('content') ?? '';
        ledger.unreadable('zerver_message', error.message, placed.place, sample);
      }
    }
    receipts.reportRest();
    yield { messages, progress: archive.bytesOf(file) };
  }
}
