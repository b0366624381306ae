import type { AnswerOf, HangUpSignal } from '@parley/api';
import { serviceUnavailable } from '@parley/api';
import type { getEventsEndpoint } from '@parley/api/events';
import type { Preserialized, Settle } from '@parley/server';
import { LaterAnswer, partlyShared } from '@parley/server';

import { answerBounds } from './collect-events.ts';
import type { Collected } from './collect-events.ts';
import type { EventQueue } from './event-queue.ts';
import type { EventTexts } from './event-texts.ts';
import { QueueReader } from './queue-reader.ts';
import type { ReaderContext, Reading, ReadingListener } from './queue-reader.ts';

type PollAnswer = AnswerOf<typeof getEventsEndpoint>;

/** The context of polls. */
export type PollContext = { readonly read: ReaderContext; readonly texts: EventTexts };

/**
 * Answers a poll with the pending events above `lastEventId`. If there are none, unless `dontBlock`, it waits for the first event or a
 * heartbeat, and answers with nothing if another reader takes over, the queue ends or the node drains. A poll that arrives during a drain
 * and finds nothing is refused, so that its gateway asks another node, because its client was already interrupted.
 *
 * @returns the answer with its events in increasing id, which may come later
 * @throws ApiError BAD_EVENT_QUEUE_ID, SERVICE_UNAVAILABLE
 */
export async function poll(
  context: PollContext,
  queue: EventQueue,
  options: {
    readonly lastEventId: number;
    readonly dontBlock: boolean;
    readonly signal: HangUpSignal;
  },
): Promise<Preserialized<PollAnswer> | LaterAnswer<PollAnswer>> {
  const { lastEventId, dontBlock, signal } = options;
  const reader = await QueueReader.open(context.read, queue, {
    kind: 'poll',
    lastEventId,
    catchUp: dontBlock,
    bounds: answerBounds,
    signal,
  });
  if (!dontBlock)
    return new LaterAnswer((settle) =>
      reader.follow(signal, new OpenPoll(context, queue, reader, settle)),
    );
  const heldSinceMs = context.read.clock.elapsedMs();
  try {
    return answerOf(context, queue, await reader.readPending(), heldSinceMs);
  } finally {
    reader.leave();
  }
}

class OpenPoll implements ReadingListener {
  readonly #context: PollContext;
  readonly #queue: EventQueue;
  readonly #reader: QueueReader;
  readonly #settle: Settle<PollAnswer>;
  readonly #heldSinceMs: number;
  readonly #cameTooLate: boolean;

  constructor(
    context: PollContext,
    queue: EventQueue,
    reader: QueueReader,
    settle: Settle<PollAnswer>,
  ) {
    this.#context = context;
    this.#queue = queue;
    this.#reader = reader;
    this.#settle = settle;
    this.#heldSinceMs = context.read.clock.elapsedMs();
    this.#cameTooLate = context.read.draining.aborted;
  }

  onReading(reading: Reading): void {
    if (reading.events.length === 0 && this.#cameTooLate) {
      this.onFault(serviceUnavailable());
      return;
    }
    this.#reader.leave();
    this.#settle.answer(answerOf(this.#context, this.#queue, reading, this.#heldSinceMs));
  }

  onFault(error: unknown): void {
    this.#reader.leave();
    this.#settle.fail(error);
  }
}

function answerOf(
  { texts, read }: PollContext,
  queue: EventQueue,
  { events, isFull }: Collected,
  heldSinceMs: number,
): Preserialized<PollAnswer> {
  read.onAnswer(events.length, read.clock.elapsedMs() - heldSinceMs);
  if (isFull) read.onFullAnswer();
  const end = `],"queue_id":${JSON.stringify(queue.id)}}`;
  const passage = events.some(({ holdsKey }) => holdsKey === true) ? 'untouched' : 'any';
  return partlyShared(texts.answerStartOf(events), end, passage);
}
