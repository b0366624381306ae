import type { HangUpSignal } from '@parley/http';

import { answerBounds } from './collect-events.ts';
import type { CollectedEvent } from './collect-events.ts';
import type { EventQueue } from './event-queue.ts';
import { QueueReader } from './queue-reader.ts';
import type { ReadContext } from './queue-reader.ts';

/**
 * Answers a poll: what is pending above `lastEventId`, or, unless `dontBlock`, the first that comes, a heartbeat, or nothing when
 * another reader took over, the queue ended or the node drains.
 *
 * @returns events in increasing id
 * @throws ApiError BAD_EVENT_QUEUE_ID, SERVICE_UNAVAILABLE
 */
export async function poll(
  context: ReadContext,
  queue: EventQueue,
  options: {
    readonly lastEventId: number;
    readonly dontBlock: boolean;
    readonly signal: HangUpSignal;
  },
): Promise<readonly CollectedEvent[]> {
  const { lastEventId, dontBlock, signal } = options;
  const reader = await QueueReader.open(context, queue, {
    kind: 'poll',
    lastEventId,
    catchUp: dontBlock,
    bounds: answerBounds,
  });
  const heldSinceMs = performance.now();
  try {
    const events = dontBlock ? await reader.readPending() : (await reader.next(signal)).events;
    context.onAnswer(events.length, performance.now() - heldSinceMs);
    if (isFull(events)) context.onFullAnswer();
    return events;
  } finally {
    reader.leave();
  }
}

/** Whether an answer met a bound, so that the next poll may find more. */
function isFull(events: readonly CollectedEvent[]): boolean {
  if (events.length >= answerBounds.answerEventsMax) return true;
  let bytes = 0;
  for (const { text } of events) bytes += Buffer.byteLength(text);
  return bytes >= answerBounds.answerBytesMax;
}
