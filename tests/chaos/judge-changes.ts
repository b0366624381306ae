/** Edits, reactions and stars: one event for each, to the holders of the message. */
import { keyOfChange } from './ledger.ts';
import type { ChangeEvent, DeliveredMessage, Ledger } from './ledger.ts';
import type { ChangeRecord, QueueRecord, Received } from './journal.ts';

export function judgeChanges(ledger: Ledger): void {
  const records = new Map(ledger.journal.changes.map((record) => [keyOfChange(record), record]));
  for (const queue of ledger.journal.queues) judgeQueue(ledger, queue, records);
  const queuesOfPerson = Map.groupBy(ledger.journal.queues, ({ userId }) => userId);
  for (const queues of queuesOfPerson.values()) {
    // A person's first queue exists during the whole run.
    const [queue] = queues;
    if (queue !== undefined) judgeAcknowledged(ledger, queue);
  }
}

function isChange(received: Received): received is ChangeEvent {
  return received.what === 'change';
}

/** Nobody gets events for others, or events that no request caused. */
function judgeQueue(
  ledger: Ledger,
  queue: QueueRecord,
  records: ReadonlyMap<string, ChangeRecord>,
): void {
  const { findings } = ledger.journal;
  for (const event of queue.received.filter(isChange)) {
    const record = records.get(keyOfChange(event));
    const message = ledger.messages.get(event.messageId);
    if (record === undefined || message === undefined)
      findings.add('leaked', `${queue.name}: nobody requested ${event.essence}`);
    else if (!mayKnow(ledger, queue.userId, message, record, event.id))
      findings.add('leaked', `${queue.name}: ${event.essence}`);
  }
}

function mayKnow(
  ledger: Ledger,
  userId: number,
  message: DeliveredMessage,
  record: ChangeRecord,
  position: number,
): boolean {
  if (record.kind === 'star') return record.userId === userId;
  if (ledger.isToldOfChange(userId, message, position)) return true;
  // Subscribers may read earlier messages, and get events when these change.
  return (
    record.kind === 'edit' &&
    'streamId' in message.target &&
    ledger.timelineOf(userId).isMember(message.target.streamId, position)
  );
}

/** Every holder of the message who is told of changes gets an event for each acknowledged one, and not more often than it was requested. */
function judgeAcknowledged(ledger: Ledger, queue: QueueRecord): void {
  const { findings } = ledger.journal;
  const counts = new Map<string, number>();
  for (const event of queue.received.filter(isChange))
    counts.set(keyOfChange(event), (counts.get(keyOfChange(event)) ?? 0) + 1);
  for (const record of ledger.journal.changes) {
    const message = ledger.messages.get(record.messageId);
    if (message === undefined) continue;
    const isFor =
      record.kind === 'star'
        ? record.userId === queue.userId
        : ledger.isToldOfChange(queue.userId, message, ledger.positionOf(record) ?? Infinity);
    const times = counts.get(keyOfChange(record)) ?? 0;
    if (isFor && record.ackedMs !== undefined && times === 0)
      findings.add('lost', `${queue.name}: ${keyOfChange(record)} of user ${record.userId}`);
    if (times > 1 + ledger.journal.countPossibleRepeats(record))
      findings.add('repeated', `${queue.name}: ${keyOfChange(record)} came ${times} times`);
  }
}
