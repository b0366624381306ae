/** Joins and leaves: one event for each, to the person and to everybody who may know, and correct at its position. */
import type { Ledger, Timeline } from './ledger.ts';
import type { MembershipRecord, QueueRecord, Received, SendRecord } from './journal.ts';

export function judgeMemberships(ledger: Ledger): void {
  for (const timeline of ledger.timelines.values()) {
    for (const { id } of ledger.streams) {
      judgeAlternation(ledger, timeline, id);
      judgeAgainstAnswers(ledger, timeline, id);
    }
  }
  for (const queue of ledger.journal.queues) {
    judgeInitialState(ledger, queue);
    judgePeers(ledger, queue);
    judgeTwins(ledger, queue);
  }
}

/** Nobody joins a stream twice in a row, or leaves one without being in it. */
function judgeAlternation(ledger: Ledger, timeline: Timeline, streamId: number): void {
  let isIn = timeline.wasInitiallyIn(streamId);
  for (const { position, op } of timeline.movesOf(streamId)) {
    if (isIn === (op === 'add'))
      ledger.journal.findings.add(
        'repeated',
        `user ${timeline.userId}, stream ${streamId}: a second ${op} at ${position}`,
      );
    isIn = op === 'add';
  }
}

/** Each answer that reports a change has its event; any more come from requests of unknown outcome. */
function judgeAgainstAnswers(ledger: Ledger, timeline: Timeline, streamId: number): void {
  const { findings, memberships } = ledger.journal;
  const requested = memberships.filter(
    (each) => each.userId === timeline.userId && each.streamId === streamId,
  );
  const moves = timeline.movesOf(streamId);
  const where = `user ${timeline.userId}, stream ${streamId}`;
  let isClear = true;
  for (const op of ['add', 'remove'] as const) {
    const reported = moves.filter((move) => move.op === op).length;
    const ofOp = requested.filter((each) => each.op === op);
    const certain = ofOp.filter(({ hasEffect }) => hasEffect).length;
    const possible =
      certain + ofOp.reduce((sum, each) => sum + ledger.journal.countPossibleRepeats(each), 0);
    if (reported < certain)
      findings.add('lost', `${where}: ${reported} events of ${certain} (${op})`);
    if (reported > possible)
      findings.add('repeated', `${where}: ${reported} events of ${possible} at most (${op})`);
    isClear &&= possible === certain && reported === certain;
  }
  const effective = requested.filter(({ hasEffect }) => hasEffect);
  if (!isClear || effective.length !== moves.length) return;
  const sends = ledger.journal.sends.filter(
    ({ target }) => 'streamId' in target && target.streamId === streamId,
  );
  for (const [index, change] of effective.entries()) {
    const position = moves[index]?.position;
    if (position !== undefined) judgeAgainstSends(ledger, change, position, sends);
  }
}

/** A join or leave that began after a send was answered follows it in the log, and vice versa. */
function judgeAgainstSends(
  ledger: Ledger,
  change: MembershipRecord,
  position: number,
  sends: readonly SendRecord[],
): void {
  for (const send of sends) {
    const sentAt = ledger.messages.get(send.messageId ?? -1)?.position;
    if (sentAt === undefined) continue;
    const isBefore = (send.ackedMs ?? Infinity) < change.startedMs;
    const isBehind = send.startedMs > (change.ackedMs ?? Infinity);
    if ((isBefore && sentAt > position) || (isBehind && sentAt < position))
      ledger.journal.findings.add(
        'disordered',
        `message ${send.messageId} stands at ${sentAt}, on the wrong side of what user ${change.userId} did (${change.op} at ${position})`,
      );
  }
}

function judgeInitialState(ledger: Ledger, queue: QueueRecord): void {
  const timeline = ledger.timelineOf(queue.userId);
  for (const { id } of ledger.streams) {
    // The initial state is exact: it includes a change at its own position.
    const isMember = timeline.isMember(id, queue.startId + 1);
    if (isMember !== queue.initialStreamIds.has(id))
      ledger.journal.findings.add(
        'history',
        `${queue.name}: register at ${queue.startId} did not tell the truth of stream ${id}`,
      );
  }
}

/** Others get each move once if their lists contain the stream: its members, and for a public stream everybody but guests. */
function judgePeers(ledger: Ledger, queue: QueueRecord): void {
  const { findings } = ledger.journal;
  for (const stream of ledger.streams) {
    for (const [userId, timeline] of ledger.timelines) {
      if (userId === queue.userId) continue;
      const reported = queue.received.filter(
        (received): received is Extract<Received, { what: 'peer' }> =>
          received.what === 'peer' && received.streamId === stream.id && received.userId === userId,
      );
      const due = timeline
        .movesOf(stream.id)
        .filter(
          ({ position }) =>
            ledger.isAlive(queue, position) && mayKnow(ledger, queue, stream.id, position),
        );
      const asText = (moves: readonly { readonly op: string }[]): string =>
        moves.map(({ op }) => op).join(' ');
      if (asText(reported) !== asText(due))
        findings.add(
          reported.length > due.length ? 'leaked' : 'lost',
          `${queue.name}: of user ${userId} in stream ${stream.id} it got "${asText(reported)}" instead of "${asText(due)}"`,
        );
    }
  }
}

function mayKnow(ledger: Ledger, queue: QueueRecord, streamId: number, position: number): boolean {
  if (ledger.isPublic(streamId) && !ledger.guestIds.has(queue.userId)) return true;
  return ledger.timelineOf(queue.userId).isMember(streamId, position);
}

/** All queues of a person get the same events, except messages that only a queue of all public streams gets. */
function judgeTwins(ledger: Ledger, queue: QueueRecord): void {
  const first = ledger.journal.queues.find(({ userId }) => userId === queue.userId);
  if (first === undefined || first === queue) return;
  const comparable = (record: QueueRecord): Map<number, string> =>
    new Map(
      record.received
        .filter(({ id, what }) => what !== 'message' && ledger.isAlive(queue, id))
        .map(({ id, essence }) => [id, essence]),
    );
  const [ours, theirs] = [comparable(queue), comparable(first)];
  for (const [id, essence] of theirs)
    if (ours.get(id) !== essence)
      ledger.journal.findings.add('lost', `${queue.name}: event ${id} (${essence})`);
  for (const [id, essence] of ours)
    if (!theirs.has(id))
      ledger.journal.findings.add('lost', `${first.name}: event ${id} (${essence})`);
}
