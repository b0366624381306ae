/** Joins and leaves: each told once to the one who moved and to those who may know, and true of their time. */
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

/** Nobody joins where he is, or leaves where he is not. */
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

/** Each answer that says that something changed has its event; more can only come of requests without a clear outcome. */
function judgeAgainstAnswers(ledger: Ledger, timeline: Timeline, streamId: number): void {
  const { findings, memberships } = ledger.journal;
  const asked = memberships.filter(
    (each) => each.userId === timeline.userId && each.streamId === streamId,
  );
  const moves = timeline.movesOf(streamId);
  const where = `user ${timeline.userId}, stream ${streamId}`;
  let isClear = true;
  for (const op of ['add', 'remove'] as const) {
    const told = moves.filter((move) => move.op === op).length;
    const ofOp = asked.filter((each) => each.op === op);
    const certain = ofOp.filter(({ hasEffect }) => hasEffect).length;
    const possible =
      certain + ofOp.reduce((sum, each) => sum + ledger.journal.countPossibleRepeats(each), 0);
    if (told < certain) findings.add('lost', `${where}: ${told} events of ${certain} (${op})`);
    if (told > possible)
      findings.add('repeated', `${where}: ${told} events of ${possible} at most (${op})`);
    isClear &&= possible === certain && told === certain;
  }
  const effective = asked.filter(({ hasEffect }) => hasEffect);
  if (!isClear || effective.length !== moves.length) return;
  const sends = ledger.journal.sends.filter(
    ({ target }) => 'streamId' in target && target.streamId === streamId,
  );
  for (const [index, change] of effective.entries()) {
    const position = moves[index]?.position;
    if (position !== undefined) judgeAgainstSends(ledger, change, position, sends);
  }
}

/** A join or leave that began after a send was answered follows it in the log, and the other way round. */
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
    // The state is exact at the start: a change at that very position is in it.
    const isMember = timeline.isMember(id, queue.startId + 1);
    if (isMember !== queue.initialStreamIds.has(id))
      ledger.journal.findings.add(
        'history',
        `${queue.name}: register at ${queue.startId} did not tell the truth of stream ${id}`,
      );
  }
}

/** Others learn of each move once, if they have the stream in a list: members, and of a public stream all but guests. */
function judgePeers(ledger: Ledger, queue: QueueRecord): void {
  const { findings } = ledger.journal;
  for (const stream of ledger.streams) {
    for (const [userId, timeline] of ledger.timelines) {
      if (userId === queue.userId) continue;
      const told = queue.received.filter(
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
      if (asText(told) !== asText(due))
        findings.add(
          told.length > due.length ? 'leaked' : 'lost',
          `${queue.name}: of user ${userId} in stream ${stream.id} it was told "${asText(told)}" and not "${asText(due)}"`,
        );
    }
  }
}

function mayKnow(ledger: Ledger, queue: QueueRecord, streamId: number, position: number): boolean {
  if (ledger.isPublic(streamId) && !ledger.guestIds.has(queue.userId)) return true;
  return ledger.timelineOf(queue.userId).isMember(streamId, position);
}

/** Queues of one person get the same, but for messages that only a listening one gets. */
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
