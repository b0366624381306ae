/** Every operation of a history, applied to the store and to the model; the store's answers are compared at once. */
import type { Client } from '@parley/database';
import {
  addLateReceipt,
  changeFlag,
  deleteMessage,
  flagBits,
  listUnreadOfLeavers,
  lockReadState,
  markAllRead,
  markStreamRead,
  markTopicRead,
  moveMessages,
  noteNewestMessages,
  setStreamFloorsAtChange,
} from '@parley/store';
import { expect } from 'vitest';

import { checkAll } from './check-all.ts';
import type { Operation } from './histories.ts';
import { Model, nothingImplied, topicCount } from './model.ts';
import type { ModelMessage } from './model.ts';
import type { World } from './world.ts';

let sends = 0;

/** Runs `work` in a transaction; the real append function gives its change a position. */
async function changing(client: Client, work: (changeId: number) => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ id: number }>("SELECT nextval('change_ids') AS id");
  const changeId = rows[0]?.id ?? 0;
  await work(changeId);
  await client.query(
    `SELECT log_append(ARRAY[1], ARRAY[0]::bigint[], ARRAY['{}'], $1, NULL, ARRAY[false])`,
    [changeId],
  );
  await client.query('COMMIT');
}

export async function joining(
  world: World,
  model: Model,
  user: number,
  streamIndex: number,
): Promise<void> {
  if (model.isMember(user, streamIndex)) return;
  model.members.add(`${user}/${streamIndex}`);
  const ids = [world.users[user], world.streams[streamIndex]];
  await changing(world.client, async (changeId) => {
    await world.client.query(
      `INSERT INTO subscriptions (user_id, stream_id, is_active, color) VALUES ($1, $2, true, '')
       ON CONFLICT (user_id, stream_id) DO UPDATE SET is_active = true`,
      ids,
    );
    await world.client.query(
      'INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES ($1, $2, $3)',
      [...ids, changeId],
    );
  });
}

async function leaving(
  world: World,
  model: Model,
  user: number,
  streamIndex: number,
): Promise<void> {
  if (!model.isMember(user, streamIndex)) return;
  model.members.delete(`${user}/${streamIndex}`);
  const userId = world.users[user] ?? 0;
  const streamId = world.streams[streamIndex] ?? 0;
  const unread = model.unread(
    user,
    (message) => Model.streamOf(message.conversation) === streamIndex,
  );
  await changing(world.client, async (changeId) => {
    await world.client.query(
      'UPDATE subscriptions SET is_active = false WHERE user_id = $1 AND stream_id = $2',
      [userId, streamId],
    );
    await world.client.query(
      'UPDATE membership_periods SET until_change_id = $3 WHERE user_id = $1 AND stream_id = $2 AND until_change_id IS NULL',
      [userId, streamId, changeId],
    );
    const leaving = [{ userId, streamId }];
    await lockReadState(world.client, [userId]);
    const [listed] = await listUnreadOfLeavers(world.client, leaving, 50_000);
    expect(listed?.ids.toReversed()).toEqual(unread.map((message) => message.id));
    await setStreamFloorsAtChange(world.client, leaving, changeId);
  });
  model.markRead(user, unread);
}

async function sending(
  world: World,
  model: Model,
  sent: Extract<Operation, { op: 'send' }>,
): Promise<void> {
  const streamIndex = Model.streamOf(sent.conversation);
  const people = Model.peopleOf(sent.conversation);
  const sender =
    streamIndex === undefined ? (people[sent.sender % people.length] ?? 0) : sent.sender;
  const holders =
    streamIndex === undefined
      ? [...people]
      : [0, 1, 2].filter((user) => model.isMember(user, streamIndex));
  // A generic bot that is mentioned holds messages of streams that it is not subscribed to.
  const late =
    streamIndex !== undefined && sent.bot !== undefined && !holders.includes(sent.bot)
      ? [sent.bot]
      : [];
  sends += 1;
  // Half an hour apart, but as clocks that differ by most of the tolerated hour tell it.
  const sentAtSecs = sends * 1_800 - (sends % 3) * 1_700;
  const item = {
    ordinal: 1,
    send_key: `property ${sends}`,
    content_hash: '00',
    sender_id: world.users[sender],
    stream_id: streamIndex === undefined ? null : world.streams[streamIndex],
    stream_version: streamIndex === undefined ? null : 1,
    may_be_first: false,
    conversation_id: world.conversations[sent.conversation],
    recipient_id: 1,
    topic: streamIndex === undefined ? '' : `topic ${sent.conversation}`,
    content: '',
    rendered_content: '',
    client: '',
    sent_at_secs: sentAtSecs,
    is_me_message: false,
    has_link: false,
    has_image: false,
    has_attachment: false,
    read_by_sender: sent.readBySender,
    mentions_wildcard: sent.wildcard,
    mentioned_ids: sent.named.map((user) => world.users[user]),
    ...(sent.groupNamed.length === 0
      ? {}
      : { group_mentioned_ids: sent.groupNamed.map((user) => world.users[user]) }),
    ...(sent.alerted.length === 0
      ? {}
      : { alert_word_ids: sent.alerted.map((user) => world.users[user]) }),
    late_receipt_ids: late.map((user) => world.users[user]),
    search_words: '',
    audience: 0,
    payload: '{}',
  };
  const { rows } = await world.client.query<{ outcome: string; message_id: number }>({
    name: 'property-send',
    text: 'SELECT outcome, message_id FROM send_messages($1)',
    values: [JSON.stringify([item])],
  });
  expect(rows[0]?.outcome).toBe('sent');
  model.messages.push({
    id: rows[0]?.message_id ?? 0,
    sender,
    sentAtSecs,
    wildcard: sent.wildcard,
    named: sent.named,
    groupNamed: sent.groupNamed,
    alerted: sent.alerted,
    conversation: sent.conversation,
    rows: new Map(
      [...holders, ...late].map((user) => [
        user,
        { read: user === sender && sent.readBySender, historical: false, byHand: new Map() },
      ]),
    ),
  });
}

/** Any set of ids may be requested; those that the user does not hold are not in the answer and do not change. */
async function marking(
  world: World,
  user: number,
  messages: readonly ModelMessage[],
  read: boolean,
): Promise<void> {
  await world.client.query('BEGIN');
  const ids = messages.map((message) => message.id);
  const applied = await changeFlag(
    world.client,
    world.users[user] ?? 0,
    ids,
    'read',
    read ? 'add' : 'remove',
  );
  await world.client.query('COMMIT');
  const held = messages.filter((message) => message.rows.has(user));
  expect(applied.toSorted((a, b) => a - b)).toEqual(
    held.map((message) => message.id).toSorted((a, b) => a - b),
  );
  for (const message of held) {
    const row = message.rows.get(user);
    if (row !== undefined) row.read = read;
  }
}

async function flagging(
  world: World,
  model: Model,
  change: Extract<Operation, { op: 'flag' }>,
): Promise<void> {
  const { user, flag, operation } = change;
  const messages = model.pick(change.picks);
  await world.client.query('BEGIN');
  await changeFlag(
    world.client,
    world.users[user] ?? 0,
    messages.map((message) => message.id),
    flag,
    operation,
  );
  await world.client.query('COMMIT');
  for (const message of messages)
    message.rows.get(user)?.byHand.set(flagBits[flag], operation === 'add');
}

async function markingInBulk(
  world: World,
  model: Model,
  user: number,
  operationNow: Operation,
): Promise<void> {
  const userId = world.users[user] ?? 0;
  if (operationNow.op === 'mark-all') {
    await changing(world.client, (changeId) => markAllRead(world.client, userId, changeId));
    model.markRead(user, model.messages);
    return;
  }
  await world.client.query('BEGIN');
  let unread: ModelMessage[] = [];
  if (operationNow.op === 'mark-stream') {
    unread = model.unread(
      user,
      (message) => Model.streamOf(message.conversation) === operationNow.stream,
    );
    const listed = await markStreamRead(
      world.client,
      userId,
      world.streams[operationNow.stream] ?? 0,
    );
    expect(listed).toEqual(unread.map((message) => message.id));
  } else if (operationNow.op === 'mark-topic') {
    unread = model.unread(user, (message) => message.conversation === operationNow.conversation);
    const listed = await markTopicRead(
      world.client,
      userId,
      world.conversations[operationNow.conversation] ?? 0,
    );
    expect(listed).toEqual(unread.map((message) => message.id));
  }
  await world.client.query('COMMIT');
  model.markRead(user, unread);
}

export async function apply(world: World, model: Model, next: Operation): Promise<void> {
  const { client } = world;
  switch (next.op) {
    case 'send':
      return sending(world, model, next);
    case 'join':
      return joining(world, model, next.user, next.stream);
    case 'leave':
      return leaving(world, model, next.user, next.stream);
    case 'read':
    case 'unread':
      return marking(world, next.user, model.pick(next.picks), next.op === 'read');
    case 'mark-all':
    case 'mark-stream':
    case 'mark-topic':
      return markingInBulk(world, model, next.user, next);
    case 'star': {
      const [message] = model.pick([next.pick]);
      if (message === undefined || Model.streamOf(message.conversation) === undefined)
        return undefined;
      const userId = world.users[next.user] ?? 0;
      await client.query('BEGIN');
      await addLateReceipt(client, userId, message.id);
      await changeFlag(client, userId, [message.id], 'starred', 'add');
      await client.query('COMMIT');
      let row = message.rows.get(next.user);
      if (row === undefined) {
        row = { read: true, historical: true, byHand: new Map(nothingImplied) };
        message.rows.set(next.user, row);
      }
      row.byHand.set(flagBits.starred, true);
      return undefined;
    }
    case 'move':
      for (const message of model.pick(next.picks)) {
        const streamIndex = Model.streamOf(message.conversation);
        if (streamIndex === undefined) continue;
        message.conversation = streamIndex * topicCount + next.topic;
        await moveMessages(client, {
          topic: `topic ${message.conversation}`,
          conversationId: world.conversations[message.conversation] ?? 0,
          subjectLinks: [],
          messageIds: [message.id],
          searchWords: () => '',
        });
      }
      return undefined;
    case 'delete':
      for (const message of model.pick(next.picks)) {
        await deleteMessage(client, message.id);
        model.messages = model.messages.filter((other) => other !== message);
      }
      return undefined;
    case 'flag':
      return flagging(world, model, next);
    case 'maintenance':
      await noteNewestMessages(client);
      return undefined;
    case 'mute-stream':
      if (!model.isMember(next.user, next.stream)) return undefined;
      model.mutedStreams.add(`${next.user}/${next.stream}`);
      await client.query(
        'UPDATE subscriptions SET is_muted = true WHERE user_id = $1 AND stream_id = $2',
        [world.users[next.user], world.streams[next.stream]],
      );
      return undefined;
    case 'mute-topic':
      model.mutedTopics.add(`${next.user}/${next.conversation}`);
      await client.query(
        `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic)
         SELECT $1, stream_id, topic_folded, topic_folded FROM conversations WHERE id = $2 ON CONFLICT DO NOTHING`,
        [world.users[next.user], world.conversations[next.conversation]],
      );
      return undefined;
    case 'unmute-topic':
      model.mutedTopics.delete(`${next.user}/${next.conversation}`);
      await client.query(
        `DELETE FROM muted_topics t USING conversations c
         WHERE t.user_id = $1 AND c.id = $2 AND t.stream_id = c.stream_id AND t.topic_folded = c.topic_folded`,
        [world.users[next.user], world.conversations[next.conversation]],
      );
      return undefined;
    case 'check':
      return checkAll(world, model);
  }
}
