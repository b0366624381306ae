/** The judge finds the fault in every incorrect record of a run, and reports its kind. */
import { beforeEach, describe, expect, test } from 'vitest';

import { Findings } from './findings.ts';
import { judgeChanges } from './judge-changes.ts';
import { judgeReader } from './judge-history.ts';
import { judgeMemberships } from './judge-memberships.ts';
import { judgeMessages } from './judge-messages.ts';
import { Journal, QueueRecord, contentMarks } from './journal.ts';
import type { MembershipRecord, SendTarget } from './journal.ts';
import { Ledger } from './ledger.ts';

const [ann, bob, eve] = [1, 2, 3];
const open = { id: 10, isPublic: true };
const closed = { id: 11, isPublic: false };

let journal: Journal;
beforeEach(() => {
  journal = new Journal(new Findings());
});

function openQueue(userId: number, streamIds: readonly number[], listens = false): QueueRecord {
  const queue = new QueueRecord(journal.findings, {
    queueId: `${journal.queues.length}`,
    userId,
    name: `queue ${journal.queues.length} of user ${userId}`,
    listens,
    startId: 100,
    initialStreamIds: new Set(streamIds),
  });
  journal.queues.push(queue);
  return queue;
}

/** Records an acknowledged send. @returns its event, as the server would write it */
function send(
  messageId: number,
  target: SendTarget,
  local?: { queueId: string; localId: string },
): Record<string, unknown> {
  const token = contentMarks.token(messageId);
  journal.sends.push({
    token,
    senderId: ann,
    target,
    local,
    startedMs: messageId * 10,
    ackedMs: messageId * 10 + 5,
    messageId,
  });
  return {
    type: 'message',
    id: 100 + messageId,
    message: {
      id: messageId,
      sender_id: ann,
      content: token,
      ...('streamId' in target
        ? { type: 'stream', stream_id: target.streamId }
        : { type: 'private', display_recipient: target.participantIds.map((id) => ({ id })) }),
    },
  };
}

function move(id: number, op: 'add' | 'remove', streamId: number): Record<string, unknown> {
  return { type: 'subscription', op, id, subscriptions: [{ stream_id: streamId }] };
}

function requested(userId: number, streamId: number, op: 'add' | 'remove'): MembershipRecord {
  const record = {
    userId,
    streamId,
    op,
    startedMs: 0,
    // All sends of a test are pending during this time.
    ackedMs: 2_000,
    hasEffect: true,
    unclear: 0,
  };
  journal.memberships.push(record);
  return record;
}

/** @returns the kinds of the findings, each once */
function judge(): string[] {
  const ledger = new Ledger(journal, { streams: [open, closed], guestIds: new Set() });
  judgeMessages(ledger);
  judgeMemberships(ledger);
  judgeChanges(ledger);
  return [...new Set(journal.findings.list.map(({ kind }) => kind))];
}

describe('messages', () => {
  test('messages that reached exactly their recipients have no faults', () => {
    const [anns, bobs, eves] = [openQueue(ann, [10, 11]), openQueue(bob, [10]), openQueue(eve, [])];
    const listening = openQueue(eve, [], true);
    const said = send(1, { streamId: 10 });
    for (const queue of [anns, bobs, listening]) queue.receive(said);
    anns.receive(send(2, { streamId: 11 }));
    const whispered = send(3, { participantIds: [ann, eve] });
    for (const queue of [anns, eves, listening]) queue.receive(whispered);
    expect(judge()).toEqual([]);
  });

  test('a message that one recipient did not get is lost', () => {
    const [anns] = [openQueue(ann, [10]), openQueue(bob, [10])];
    anns.receive(send(1, { streamId: 10 }));
    expect(judge()).toEqual(['lost']);
  });

  test('an acknowledged message that nobody got is lost', () => {
    openQueue(ann, [10]);
    send(1, { streamId: 10 });
    expect(judge()).toEqual(['lost']);
  });

  test('a message that somebody else got is leaked, in a private stream also to listeners', () => {
    const [anns, eves] = [openQueue(ann, [11]), openQueue(eve, [], true)];
    const said = send(1, { streamId: 11 });
    for (const queue of [anns, eves]) queue.receive(said);
    expect(judge()).toEqual(['leaked']);
  });

  test('a repeated event is a repeat, and an older one is out of order', () => {
    const anns = openQueue(ann, [10]);
    const [first, second] = [send(1, { streamId: 10 }), send(2, { streamId: 10 })];
    anns.receive(second);
    anns.receive(second);
    anns.receive(first);
    expect(judge()).toEqual(['repeated', 'disordered', 'lost']);
  });

  test('a send that became two messages is a repeat', () => {
    const anns = openQueue(ann, [10]);
    const said = send(1, { streamId: 10 });
    anns.receive(said);
    anns.receive({ ...said, id: 105, message: { ...(said['message'] as object), id: 4 } });
    expect(judge()).toContain('repeated');
  });

  test('a send that began after another was answered has no lower id', () => {
    const anns = openQueue(ann, [10]);
    for (const id of [1, 2]) anns.receive(send(id, { streamId: 10 }));
    Object.assign(journal.sends[0] ?? {}, { startedMs: 90, ackedMs: 95 });
    expect(judge()).toEqual(['disordered']);
  });

  test('a local id belongs only into the queue that the send named', () => {
    const [anns, others] = [openQueue(ann, [10]), openQueue(ann, [10])];
    const said = send(1, { streamId: 10 }, { queueId: anns.queueId, localId: '1.5' });
    anns.receive(said);
    others.receive({ ...said, local_message_id: '1.5' });
    expect(judge()).toEqual(['lost', 'leaked']);
  });
});

describe('joins and leaves', () => {
  test('messages between a join and a leave must arrive, others must not', () => {
    const [anns, bobs] = [openQueue(ann, [11]), openQueue(bob, [])];
    requested(bob, 11, 'add');
    requested(bob, 11, 'remove');
    const sent = [1, 3, 5].map((id) => send(id, { streamId: 11 }));
    anns.receive(sent[0] ?? {});
    bobs.receive(move(102, 'add', 11));
    anns.receive({ type: 'subscription', op: 'peer_add', id: 102.5, stream_id: 11, user_id: bob });
    for (const queue of [anns, bobs]) queue.receive(sent[1] ?? {});
    bobs.receive(move(104, 'remove', 11));
    anns.receive({
      type: 'subscription',
      op: 'peer_remove',
      id: 104.5,
      stream_id: 11,
      user_id: bob,
    });
    anns.receive(sent[2] ?? {});
    expect(judge()).toEqual([]);
    bobs.receive(sent[2] ?? {});
    expect(judge()).toEqual(['leaked']);
  });

  test('an acknowledged join without its event is lost, and an extra event is a repeat', () => {
    const anns = openQueue(ann, []);
    requested(ann, 11, 'add');
    expect(judge()).toEqual(['lost']);
    journal.findings.list.length = 0;
    anns.receive(move(101, 'add', 11));
    expect(judge()).toEqual([]);
    anns.receive(move(102, 'remove', 11));
    anns.receive(move(103, 'add', 11));
    expect(judge()).toEqual(['repeated']);
  });

  test('a request of unknown outcome explains one more event', () => {
    const anns = openQueue(ann, []);
    requested(ann, 11, 'add').hasEffect = false;
    anns.receive(move(101, 'add', 11));
    expect(judge()).toEqual(['repeated']);
    journal.findings.list.length = 0;
    Object.assign(journal.memberships[0] ?? {}, { unclear: 1 });
    expect(judge()).toEqual([]);
  });

  test('a message that was answered before the join began precedes it', () => {
    const [anns, bobs] = [openQueue(ann, [11]), openQueue(bob, [])];
    const join = requested(bob, 11, 'add');
    bobs.receive(move(101, 'add', 11));
    anns.receive({ type: 'subscription', op: 'peer_add', id: 101.5, stream_id: 11, user_id: bob });
    for (const queue of [anns, bobs]) queue.receive(send(2, { streamId: 11 }));
    Object.assign(join, { startedMs: 1_000, ackedMs: 1_005 });
    expect(judge()).toEqual(['disordered']);
  });

  test('users who may not know of a private stream get no event about joins', () => {
    const [, eves] = [openQueue(bob, []), openQueue(eve, [])];
    requested(bob, 11, 'add');
    journal.queues[0]?.receive(move(101, 'add', 11));
    eves.receive({ type: 'subscription', op: 'peer_add', id: 102, stream_id: 11, user_id: bob });
    expect(judge()).toEqual(['leaked']);
  });
});

describe('changes of messages', () => {
  const reaction = { type: 'reaction', op: 'add', id: 150, message_id: 1, emoji_name: 'tada' };

  test('only holders of the message get the event', () => {
    const [anns, bobs, eves] = [openQueue(ann, [11]), openQueue(bob, [11]), openQueue(eve, [])];
    const said = send(1, { streamId: 11 });
    const change = { kind: 'reaction', messageId: 1, userId: ann, mark: 'tada' } as const;
    journal.changes.push({ ...change, startedMs: 0, ackedMs: 5, unclear: 0 });
    for (const queue of [anns, bobs]) queue.receive(said);
    anns.receive({ ...reaction, user: { user_id: ann } });
    expect(judge()).toEqual(['lost']);
    journal.findings.list.length = 0;
    bobs.receive({ ...reaction, user: { user_id: ann } });
    expect(judge()).toEqual([]);
    eves.receive({ ...reaction, user: { user_id: ann } });
    expect(judge()).toEqual(['leaked']);
  });
});

test('a star may come twice only if it was running while a process was paused', () => {
  const anns = openQueue(ann, [10]);
  anns.receive(send(1, { streamId: 10 }));
  const star = { kind: 'star', messageId: 1, userId: ann, mark: 'starred' } as const;
  journal.changes.push({ ...star, startedMs: 100, ackedMs: 105, unclear: 0 });
  for (const id of [102, 103])
    anns.receive({ type: 'update_message_flags', flag: 'starred', messages: [1], id });
  journal.losses.push({ fromMs: 106, toMs: 200 });
  expect(judge()).toEqual(['repeated']);
  journal.findings.list.length = 0;
  journal.losses.push({ fromMs: 50, toMs: 101 });
  expect(judge()).toEqual([]);
});

describe('history', () => {
  /** Ann got message 2; her history contains it and one more. @returns the findings */
  function judgeOneMore(messageId: number, content: string): string[] {
    const anns = openQueue(ann, [10]);
    anns.receive(send(2, { streamId: 10 }));
    const ledger = new Ledger(journal, { streams: [open], guestIds: new Set() });
    const history = new Map([
      [2, { content: contentMarks.token(2) }],
      [messageId, { content }],
    ]);
    judgeReader(ledger, ann, history);
    return journal.findings.list.map(({ kind }) => kind);
  }

  test('a notice of the server may come after the queues were read to their ends', () => {
    expect(judgeOneMore(3, 'Ann subscribed you')).toEqual([]);
  });

  test('any other message that nobody received is found', () => {
    expect(judgeOneMore(1, 'Ann subscribed you')).toEqual(['history']);
    journal = new Journal(new Findings());
    expect(judgeOneMore(3, contentMarks.token(3))).toEqual(['history']);
  });
});
