/** Each message exactly once, in order, and only to its recipients. */
import type { DeliveredMessage, Ledger } from './ledger.ts';
import type { QueueRecord, SendRecord, SendTarget } from './journal.ts';

/** @returns the number of message events in all queues */
export function judgeMessages(ledger: Ledger): number {
  judgeSends(ledger);
  judgeOrder(ledger);
  let delivered = 0;
  for (const queue of ledger.journal.queues) delivered += judgeQueue(ledger, queue);
  return delivered;
}

/** Each acknowledged message exists once, as it was sent. */
function judgeSends({ journal, messages }: Ledger): void {
  const { findings } = journal;
  const idsOf = new Map<string, number[]>();
  for (const { token, messageId } of messages.values()) {
    if (token === undefined) continue;
    const ids = idsOf.get(token) ?? [];
    ids.push(messageId);
    idsOf.set(token, ids);
  }
  for (const send of journal.sends) {
    const ids = idsOf.get(send.token) ?? [];
    if (ids.length > 1)
      findings.add('repeated', `${describe(send)} became messages ${ids.join(', ')}`);
    if (send.messageId === undefined) continue;
    if (!ids.includes(send.messageId))
      findings.add('lost', `${describe(send)}, acknowledged, reached nobody at all`);
    for (const id of ids.filter((each) => each !== send.messageId))
      findings.add('disordered', `${describe(send)} arrived as message ${id}`);
    const message = messages.get(send.messageId);
    if (message !== undefined && !isSameTarget(message.target, send.target))
      findings.add('leaked', `${describe(send)} went to ${JSON.stringify(message.target)}`);
  }
}

function describe(send: SendRecord): string {
  return `send ${send.token} of user ${send.senderId} to ${JSON.stringify(send.target)}${send.messageId === undefined ? '' : ` (message ${send.messageId})`}`;
}

function isSameTarget(a: SendTarget, b: SendTarget): boolean {
  if ('streamId' in a) return 'streamId' in b && a.streamId === b.streamId;
  return 'participantIds' in b && a.participantIds.join() === b.participantIds.join();
}

/** Message ids increase with event ids and with time: a send that began after an answer has a larger id. */
function judgeOrder({ journal, messages }: Ledger): void {
  let newest: DeliveredMessage | undefined;
  for (const message of [...messages.values()].toSorted((a, b) => a.position - b.position)) {
    if (newest !== undefined && message.messageId < newest.messageId)
      journal.findings.add(
        'disordered',
        `message ${message.messageId} stands at ${message.position}, behind message ${newest.messageId}`,
      );
    newest = message;
  }
  const answered = journal.sends
    .filter(({ messageId }) => messageId !== undefined)
    .toSorted((a, b) => (a.ackedMs ?? 0) - (b.ackedMs ?? 0));
  const begun = answered.toSorted((a, b) => a.startedMs - b.startedMs);
  let next = 0;
  let highest: SendRecord | undefined;
  for (const send of begun) {
    for (; (answered[next]?.ackedMs ?? Infinity) < send.startedMs; next += 1)
      if ((answered[next]?.messageId ?? 0) > (highest?.messageId ?? 0)) highest = answered[next];
    if (highest !== undefined && (send.messageId ?? 0) < (highest.messageId ?? 0))
      journal.findings.add(
        'disordered',
        `${describe(send)} began after ${describe(highest)} was answered`,
      );
  }
}

/** @returns the number of messages in the queue */
function judgeQueue(ledger: Ledger, queue: QueueRecord): number {
  const { findings } = ledger.journal;
  const got = new Set<number>();
  for (const received of queue.received) {
    if (received.what !== 'message') continue;
    const { messageId, localId } = received;
    if (got.has(messageId)) {
      findings.add('repeated', `${queue.name}: message ${messageId} came with two events`);
      continue;
    }
    got.add(messageId);
    const message = ledger.messages.get(messageId);
    if (message === undefined) continue;
    if (!isDue(ledger, queue, message))
      findings.add('leaked', `${queue.name}: message ${messageId} (${message.token})`);
    const { send } = message;
    const wanted = send?.local?.queueId === queue.queueId ? send.local.localId : undefined;
    if (localId !== wanted)
      findings.add(
        localId === undefined ? 'lost' : 'leaked',
        `${queue.name}: message ${messageId} has the local id ${localId} and not ${wanted}`,
      );
  }
  const missing = [...ledger.messages.values()].filter(
    (message) =>
      !got.has(message.messageId) &&
      ledger.isAlive(queue, message.position) &&
      isDue(ledger, queue, message),
  );
  for (const { messageId, token, position } of missing)
    findings.add('lost', `${queue.name}: message ${messageId} (${token}, event ${position})`);
  return got.size;
}

function isDue(ledger: Ledger, queue: QueueRecord, message: DeliveredMessage): boolean {
  if (ledger.holds(queue.userId, message)) return true;
  return (
    queue.listens &&
    'streamId' in message.target &&
    ledger.isPublic(message.target.streamId) &&
    !ledger.guestIds.has(queue.userId)
  );
}
