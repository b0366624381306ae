/** Reads, renders and writes the messages of a source: batches are prepared and rendered while earlier ones are written. */
import { limits } from '@parley/api';

import type { Ledger } from '../ledger.ts';
import type { MessageRecord, Source } from '../records.ts';
import type { RenderThreads } from '../rendering/render-threads.ts';
import type { Conversations } from './conversations.ts';
import type { HistoryImport } from './import-options.ts';
import { namesOf } from './loaded-directory.ts';
import type { LoadedDirectory } from './loaded-directory.ts';
import { MessagePreparer } from './prepare-messages.ts';
import { MessageWriter } from './write-messages.ts';

/** Batches are small enough that several are under way at once, in threads and in Postgres. */
const batchMaxMessages = 250;
const batchMaxLength = 2_000_000;
const batchesAhead = 4;

type LoadOptions = Pick<HistoryImport, 'client' | 'source' | 'ledger' | 'step' | 'signal'>;

/** Runs `prepare` for some batches ahead of the one that is used; results come in order. */
async function* prepareAhead<Item, Prepared>(
  items: AsyncIterable<Item>,
  prepare: (item: Item) => Promise<Prepared>,
): AsyncGenerator<Prepared> {
  const ahead: Promise<Prepared>[] = [];
  for await (const item of items) {
    const preparing = prepare(item);
    // Awaited in its turn; a failure before that is not unhandled.
    preparing.catch(() => undefined);
    ahead.push(preparing);
    const first = ahead.length > batchesAhead ? ahead.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const preparing of ahead) yield await preparing;
}

/** Texts are kept whole up to far more than any of these systems lets people write. */
const textMaxLength = 1_000_000;
const earlierTextsMaxLength = 4_000_000;

const earlierLength = ({ edits }: MessageRecord): number =>
  edits.reduce((sum, { previousContent }) => sum + (previousContent?.length ?? 0), 0);

/** @returns the message as it can be stored; undefined if its text is too long, or it has too many people */
function withinBounds(
  message: MessageRecord,
  kind: string,
  ledger: Ledger,
): MessageRecord | undefined {
  const { to, content, place } = message;
  const refusals: [isRefused: boolean, reason: string][] = [
    [content.length > textMaxLength, `its text is longer than ${textMaxLength} characters`],
    [
      'participants' in to && to.participants.length > limits.participantsStoredMax,
      `its conversation has more than ${limits.participantsStoredMax} people`,
    ],
  ];
  const refusal = refusals.find(([isRefused]) => isRefused);
  if (refusal !== undefined) {
    ledger.unreadable(kind, refusal[1], place, content);
    return undefined;
  }
  if (earlierLength(message) <= earlierTextsMaxLength) return message;
  ledger.remark('edit histories that are too long');
  return { ...message, edits: [] };
}

/** Cuts messages into batches. */
function* batchesOf(messages: readonly MessageRecord[]): Generator<readonly MessageRecord[]> {
  let batch: MessageRecord[] = [];
  let length = 0;
  for (const message of messages) {
    batch.push(message);
    length += message.content.length + earlierLength(message);
    if (batch.length < batchMaxMessages && length < batchMaxLength) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  yield batch;
}

type Batch = { readonly messages: readonly MessageRecord[]; readonly progress: number };

async function* readBatches(
  source: Source,
  directory: LoadedDirectory,
  ledger: Ledger,
): AsyncGenerator<Batch> {
  const kind = source.kinds.message;
  for await (const { messages, progress } of source.messages(namesOf(directory))) {
    const batches = [
      ...batchesOf(messages.flatMap((message) => withinBounds(message, kind, ledger) ?? [])),
    ];
    for (const batch of batches) yield { messages: batch, progress: progress / batches.length };
  }
}

/** @returns the conversations of the messages */
export async function loadMessages(
  { client, source, ledger, step, signal }: LoadOptions,
  directory: LoadedDirectory,
  threads: RenderThreads,
  positionAbove: number,
): Promise<Conversations> {
  const preparer = new MessagePreparer({ client, source, threads, directory, ledger });
  const writer = new MessageWriter({ client, source, directory, ledger, positionAbove });
  const bar = step('Messages', source.messagesTotal());
  const prepared = prepareAhead(
    readBatches(source, directory, ledger),
    async ({ messages, progress }) => ({ ready: await preparer.prepare(messages), progress }),
  );
  try {
    for await (const { ready, progress } of prepared) {
      signal.throwIfAborted();
      await writer.write(ready);
      bar.advance(progress);
    }
    await writer.end();
    return writer.conversations;
  } finally {
    bar.finish();
  }
}
