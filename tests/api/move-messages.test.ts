/** PATCH messages/<id> with a topic: messages move to another topic, alone or with others in their topic. */
import type { JsonObject } from '@parley/test-kit';
import { RefusedRequest, readObjects, settle } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { ChangeFixture, invalidMessage } from './change-fixture.ts';
import type { Name } from './change-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import { expectRefusal, success } from './refusals.ts';

let streamId: number;
let serial = 0;
/** A topic that no other test uses. */
let topic: string;

const fixture = useFixture(() => ChangeFixture.start(['update_message', 'delete_message']));
beforeAll(async () => {
  streamId = await fixture.people.bob.client.streamId('Denmark');
});
beforeEach(() => {
  serial += 1;
  topic = `Lunch ${serial}`;
});

const tooLate = 'The time limit for editing this message has passed';
const daySecs = 86_400;

/** The topics of messages, fetched by a holder. */
async function topicsOf(ids: readonly number[], who: Name = 'bob'): Promise<unknown[]> {
  const messages = await Promise.all(ids.map((id) => fixture.fetched(who, id)));
  return messages.map((message) => message?.['subject']);
}

/** The ids that a narrow to a topic lists. */
async function inTopic(name: string, who: Name = 'bob'): Promise<readonly number[]> {
  const narrow = [
    ['stream', 'Denmark'],
    ['topic', name],
  ];
  return (await fetchMessages(fixture.people[who], { narrow })).ids;
}

async function events(who: Name): Promise<readonly JsonObject[]> {
  return (await fixture.queues.read())[who] ?? [];
}

describe('which messages move', () => {
  test('change_one: this one only, and only it has a history', async () => {
    const [first, second] = await fixture.sendEach(topic, 'bob', 'fay');
    await fixture.queues.read();
    expect(await fixture.edit('bob', first, { topic: '  Dinner ' })).toEqual(success);
    const [event] = await events('fay');
    expect(event).toEqual({
      type: 'update_message',
      user_id: fixture.people.bob.id,
      sender: 'bob@example.com',
      message_id: first,
      message_ids: [first],
      edit_timestamp: anyNumber,
      stream_name: 'Denmark',
      stream_id: streamId,
      orig_subject: topic,
      subject: 'Dinner',
      subject_links: [],
      propagate_mode: 'change_one',
      flags: [],
    });
    expect(await topicsOf([first, second])).toEqual(['Dinner', topic]);
    expect(await fixture.fetched('fay', first)).toMatchObject({
      edit_history: [{ user_id: fixture.people.bob.id, timestamp: anyNumber, prev_subject: topic }],
    });
  });

  test('change_later: also those with a larger id, by anybody, in exactly this spelling', async () => {
    const [earlier, target] = await fixture.sendEach(topic, 'bob', 'bob');
    const others = await fixture.sendEach(topic, 'fay', 'bob');
    const otherCase = await fixture.send('bob', topic.toUpperCase(), 'five');
    const elsewhere = await fixture.send('bob', topic, 'six', 'shared');
    await fixture.age([target, ...others], 30 * daySecs);
    await fixture.queues.read();
    await fixture.edit('bob', target, { topic: 'Supper', propagate_mode: 'change_later' });
    expect(await events('fay')).toMatchObject([
      { message_id: target, message_ids: [target, ...others], propagate_mode: 'change_later' },
    ]);
    expect(await topicsOf([earlier, target, ...others, otherCase, elsewhere])).toEqual([
      topic,
      'Supper',
      'Supper',
      'Supper',
      topic.toUpperCase(),
      topic,
    ]);
    expect(await inTopic(topic)).toEqual([earlier, otherCase]);
    for (const id of others) {
      expect(await fixture.fetched('fay', id)).not.toHaveProperty('edit_history');
      expect(await fixture.fetched('fay', id)).not.toHaveProperty('last_edit_timestamp');
      expect(await fixture.history('fay', id)).toHaveLength(1);
    }
  });

  test('change_all: also all others of the last seven days, in any spelling', async () => {
    const ids = await fixture.sendEach(topic, 'bob', 'fay', 'bob', 'fay', 'fay');
    const [old, recent, target, late, lateAndOld] = ids;
    const shouted = await fixture.send('bob', topic.toUpperCase(), 'all');
    await fixture.age([old, lateAndOld], 7 * daySecs + 60);
    await fixture.age([recent], 7 * daySecs - 60);
    await fixture.age([target], 100 * daySecs);
    await fixture.queues.read();
    await fixture.edit('bob', target, { topic: 'Brunch', propagate_mode: 'change_all' });
    expect(await events('fay')).toMatchObject([{ message_ids: [target, recent, late, shouted] }]);
    expect(await topicsOf([...ids, shouted])).toEqual([
      topic,
      'Brunch',
      'Brunch',
      'Brunch',
      topic,
      'Brunch',
    ]);
  });

  test('to another letter case, the same topic or a long topic, also with a text', async () => {
    const ids = await fixture.sendEach(topic, 'bob', 'bob');
    const [first] = ids;
    const all = { propagate_mode: 'change_all' };
    await fixture.edit('bob', first, { topic: topic.toUpperCase(), ...all });
    expect(await topicsOf(ids)).toEqual([topic.toUpperCase(), topic.toUpperCase()]);
    expect(await inTopic(topic)).toEqual(ids);
    await fixture.queues.read();
    await fixture.edit('bob', first, { topic: topic.toUpperCase(), ...all });
    expect(await events('fay')).toMatchObject([
      { message_ids: ids, orig_subject: topic.toUpperCase(), subject: topic.toUpperCase() },
    ]);
    await fixture.edit('bob', first, { topic: 'x'.repeat(61), content: 'both', ...all });
    expect(await topicsOf(ids)).toEqual([`${'x'.repeat(57)}...`, `${'x'.repeat(57)}...`]);
    expect(await events('fay')).toMatchObject([
      { content: 'both', orig_content: 'message 1', orig_subject: topic.toUpperCase() },
    ]);
    expect(await fixture.history('bob', first)).toHaveLength(4);
  });

  test('not to the same topic if only the text changes', async () => {
    const [id, other] = await fixture.sendEach(topic, 'bob', 'bob');
    await fixture.queues.read();
    await fixture.edit('bob', id, {
      topic: ` ${topic} `,
      content: 'x',
      propagate_mode: 'change_all',
    });
    const [event] = await events('fay');
    expect(event).toMatchObject({ message_ids: [id], content: 'x' });
    for (const key of ['subject', 'orig_subject', 'subject_links', 'propagate_mode'])
      expect(event).not.toHaveProperty(key);
    const newest = (await fixture.history('bob', id)).at(-1);
    expect(newest).toHaveProperty('prev_content');
    expect(newest).not.toHaveProperty('prev_topic');
    expect(await topicsOf([id, other])).toEqual([topic, topic]);
  });

  test('they are found by the words of the new topic, and have its links', async () => {
    const ids = await fixture.sendEach(topic, 'bob', 'bob');
    await fixture.edit('bob', ids[0], {
      topic: 'see example.com/flibbertigibbet',
      propagate_mode: 'change_later',
    });
    const found = await fixture.all.pool.query<{ id: number; scope: boolean }>({
      text: `SELECT m.id, search @@ to_tsquery('simple', 'flibbertigibbet:*') OR search::text LIKE '%flibbertigibbet%' AS scope
        FROM messages m WHERE id = ANY ($1::bigint[]) AND search::text LIKE '%''C' || conversation_id || '''%' ORDER BY id`,
      values: [ids],
    });
    expect(found.rows).toEqual(ids.map((id) => ({ id, scope: true })));
    for (const id of ids)
      expect(await fixture.fetched('bob', id)).toMatchObject({
        subject_links: ['https://example.com/flibbertigibbet'],
      });
  });

  test('messages invisible to the mover stay in place and are not revealed', async () => {
    const hidden = await fixture.send('bob', topic, 'one', 'secret');
    await fixture.join('eve', 'secret');
    const [held, alsoHeld] = [
      await fixture.send('eve', topic, 'two', 'secret'),
      await fixture.send('bob', topic, 'three', 'secret'),
    ];
    const moved = `${topic} change_all`;
    await fixture.queues.read();
    await fixture.edit('eve', held, { topic: moved, propagate_mode: 'change_all' });
    expect(await events('eve')).toMatchObject([{ message_ids: [held, alsoHeld] }]);
    expect(await topicsOf([hidden, held, alsoHeld])).toEqual([topic, moved, moved]);
    // A member who sees the whole topic moves all of it.
    await fixture.edit('bob', held, { topic, propagate_mode: 'change_all' });
    await fixture.edit('bob', hidden, { topic: 'all of it', propagate_mode: 'change_later' });
    expect(await topicsOf([hidden, held, alsoHeld])).toEqual(Array(3).fill('all of it'));
    await fixture.leave('eve', 'secret');
  });
});

test('who left a private stream changes nothing, and holds its messages as they were until joining again', async () => {
  const { ann, dan, fay } = fixture.people;
  const secretId = await ann.client.streamId('secret');
  const id = await fixture.send('bob', topic, 'the first words', 'secret');
  const along = await fixture.send('fay', topic, 'along', 'secret');
  await fay.client.post(`messages/${id}/reactions`, { emoji_name: 'tada' });
  await fixture.leave('dan', 'secret');
  onTestFinished(() => fixture.join('dan', 'secret'));
  const held = await fixture.fetched('dan', id);
  const heldAlong = await fixture.fetched('dan', along);
  const history = await fixture.history('dan', id);
  await fixture.queues.read();
  for (const refused of [
    () => fixture.edit('dan', id, { topic: 'of dan' }),
    () => fixture.remove('dan', id),
    () => dan.client.post(`messages/${id}/reactions`, { emoji_name: 'tada' }),
    () => dan.client.delete(`messages/${id}/reactions`, { emoji_name: 'tada' }),
    () => dan.client.post('submessage', { message_id: id, msg_type: 'widget', content: '{}' }),
  ])
    await expectRefusal(refused(), invalidMessage);

  const isFound = async (...narrow: [string, string][]): Promise<boolean> =>
    (await fetchMessages(dan, { narrow })).ids.includes(id);
  const moved = `${topic} after`;
  const change = async (content: string): Promise<void> => {
    await fixture.edit('bob', id, { content, topic: moved, propagate_mode: 'change_all' });
    await fixture.edit('bob', id, { content: `${content} again` });
  };
  await fay.client.post(`messages/${id}/reactions`, { emoji_name: 'heart' });
  await change('barnacles, @**Dan Left**');
  expect((await fixture.queues.read()).dan).toBeUndefined();
  expect(await fixture.fetched('dan', id)).toEqual(held);
  expect(await fixture.fetched('dan', along)).toEqual(heldAlong);
  expect(await fixture.raw('dan', id)).toBe('the first words');
  expect(await fixture.history('dan', id)).toEqual(history);
  expect(await isFound(['stream', 'secret'])).toBe(true);
  expect(await isFound(['stream', 'secret'], ['topic', moved])).toBe(false);
  expect(await isFound(['search', 'barnacles'])).toBe(false);
  expect(
    await dan.client.get('messages/matches_narrow', { msg_ids: [id], narrow: [['topic', moved]] }),
  ).toMatchObject({ messages: {} });

  await fixture.join('dan', 'secret');
  expect(await fixture.fetched('dan', id)).toMatchObject({
    content: 'barnacles, @**Dan Left** again',
    subject: moved,
    reactions: [{ emoji_name: 'tada' }, { emoji_name: 'heart' }],
  });
  expect(await isFound(['search', 'barnacles'])).toBe(true);
  await fixture.leave('dan', 'secret');
  await fixture.edit('bob', id, { content: 'limpets' });
  expect(await fixture.raw('dan', id)).toBe('barnacles, @**Dan Left** again');
  expect(await isFound(['stream', 'secret'], ['topic', moved])).toBe(true);
  await fixture.edit('bob', id, { topic: 'unknown to Dan', propagate_mode: 'change_all' });
  await fixture.queues.read();
  await fixture.remove('ann', id);
  const deleted = { type: 'delete_message', message_id: id };
  const { bob, dan: told } = await fixture.queues.read();
  expect([bob, told]).toMatchObject([
    [{ ...deleted, topic: 'unknown to Dan' }],
    [{ ...deleted, topic: moved }],
  ]);
  await ann.client.post(`streams/${secretId}/delete_topic`, { topic_name: 'unknown to Dan' });
  expect((await fixture.queues.read()).dan).toMatchObject([{ message_id: along, topic: moved }]);
  await expectRefusal(fixture.raw('dan', id), invalidMessage);
});

describe('who may', () => {
  test('everybody for a day if the organization permits it, also guests who see the message', async () => {
    const id = await fixture.send('fay', topic, 'one');
    for (const who of ['cat', 'bot', 'member guest', 'ann'] as const)
      expect(await fixture.edit(who, id, { topic: `of ${who}` })).toEqual(success);
    await fixture.age([id], daySecs + 15);
    expect(await fixture.edit('cat', id, { topic })).toEqual(success);
    await fixture.age([id], daySecs + 25);
    await expectRefusal(fixture.edit('cat', id, { topic: 'x' }), tooLate);
    for (const who of ['fay', 'ann'] as const)
      expect(await fixture.edit(who, id, { topic: `late ${who}` })).toEqual(success);
    await fixture.withSettings({ allow_community_topic_editing: false }, async () => {
      const own = await fixture.send('cat', topic, 'mine');
      await expectRefusal(
        fixture.edit('bob', own, { topic: 'x' }),
        "You don't have permission to edit this message",
      );
      for (const who of ['cat', 'ann'] as const)
        expect(await fixture.edit(who, own, { topic: `of ${who}` })).toEqual(success);
    });
    await fixture.edit('ann', id, { topic: '(no topic)' });
    await fixture.withSettings({ allow_community_topic_editing: false }, async () => {
      await fixture.age([id], 100 * daySecs);
      expect(await fixture.edit('cat', id, { topic: 'named at last' })).toEqual(success);
    });
  });
});

describe('dependent data', () => {
  test('read state stays with each message, and unread counts follow the new topic', async () => {
    const { fay } = fixture.people;
    const ids = await fixture.sendEach(topic, 'bob', 'bob', 'bob');
    const [first, second, third] = ids;
    await fay.client.flag([first], 'read');
    const target = `moved ${serial}`;
    await fixture.edit('bob', second, { topic: target, propagate_mode: 'change_later' });
    const registered = async (): Promise<unknown> => {
      const answer = await fay.client.post('register', {
        event_types: ['message'],
        fetch_event_types: ['update_message_flags', 'message'],
      });
      const unread = answer['unread_msgs'] as JsonObject;
      return readObjects(unread, 'streams').filter((entry) => String(entry['topic']) === target);
    };
    expect(await registered()).toEqual([
      {
        stream_id: streamId,
        topic: target,
        sender_ids: [fixture.people.bob.id],
        unread_message_ids: [second, third],
      },
    ]);
    expect((await fixture.fetched('fay', first))?.flags).toEqual(['read']);
    await fay.client.post('mark_topic_as_read', { stream_id: streamId, topic_name: topic });
    expect((await fixture.fetched('fay', second))?.flags).toEqual([]);
    await fay.client.post('mark_topic_as_read', { stream_id: streamId, topic_name: target });
    for (const id of ids) expect((await fixture.fetched('fay', id))?.flags).toEqual(['read']);
    expect(await registered()).toEqual([]);
    const later = await fixture.send('bob', target, 'four');
    await fixture.send('bob', topic, 'five');
    const { body } = await fetchMessages(fay, {
      narrow: [['stream', 'Denmark']],
      anchor: 'first_unread',
    });
    expect(body['anchor']).toBeLessThanOrEqual(later);
  });
});

test('ten thousand messages move in one request while others send', async () => {
  const target = await fixture.send('bob', topic, 'one');
  const otherIds = target + 5_000_000;
  onTestFinished(async () => {
    await fixture.all.pool.query({
      text: 'DELETE FROM messages WHERE id > $1',
      values: [otherIds],
    });
  });
  await fixture.all.pool.query({
    text: `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic,
        content, rendered_content, client, sent_at, search)
      SELECT $2 + n, m.position, m.sender_id, m.stream_id, m.conversation_id, m.read_conversation_id, m.recipient_id,
        m.topic, m.content, m.rendered_content, m.client, m.sent_at, m.search
      FROM messages m, generate_series(1, 10000) n WHERE m.id = $1`,
    values: [target, otherIds],
  });
  await fixture.queues.read();
  const sends: Promise<number>[] = [];
  const moving = fixture.edit('bob', target, { topic: 'crowd', propagate_mode: 'change_all' });
  for (let n = 0; n < 20; n += 1) sends.push(fixture.send('fay', topic, `beside ${n}`));
  expect(await moving).toEqual(success);
  const sent = new Set(await Promise.all(sends));
  const [event] = await events('dan');
  const moved = new Set(event?.['message_ids'] as number[]);
  expect(moved.size).toBeGreaterThanOrEqual(10_001);
  // A message sent during the move was moved exactly if the event says so.
  for (const id of sent) expect(await topicsOf([id])).toEqual([moved.has(id) ? 'crowd' : topic]);
  // A much larger topic is refused, and none of its messages moves.
  await fixture.all.pool.query({
    text: "UPDATE messages SET rendered_content = repeat('x', 40000) WHERE id > $1 AND id <= $1 + 1000",
    values: [otherIds],
  });
  const tooMany = fixture.edit('bob', target, { topic, propagate_mode: 'change_later' });
  await expectRefusal(tooMany, 'Too many messages to move at once');
  expect(await topicsOf([target])).toEqual(['crowd']);
});

test('after many concurrent edits, moves and deletions the state matches the last event', async () => {
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, n) => fixture.send('bob', topic, `start ${n}`)),
  );
  await fixture.queues.read();
  const requests: Promise<unknown>[] = [];
  const tolerate = async (request: Promise<unknown>): Promise<unknown> =>
    request.catch((error: unknown) => {
      // The message may have been deleted; no other failure is expected.
      if (error instanceof RefusedRequest && error.status === 400) return error.body['msg'];
      throw error;
    });
  const modes = ['change_one', 'change_later', 'change_all'] as const;
  for (let round = 0; round < 8; round += 1) {
    for (const [n, id] of ids.entries()) {
      const change = (round * 5 + n * 7) % 11;
      const propagate_mode = modes[(round + n) % 3];
      if (change === 0) requests.push(tolerate(fixture.remove('ann', id)));
      else if (change < 5)
        requests.push(
          tolerate(
            fixture.edit(n % 2 === 0 ? 'fay' : 'ann', id, {
              topic: change % 2 === 0 ? topic : `${topic} ${change}`,
              propagate_mode,
            }),
          ),
        );
      else if (change < 9)
        requests.push(
          tolerate(
            fixture.edit('bob', id, { content: `round ${round} @**Fay Here** @**Robo Bot**` }),
          ),
        );
      else
        requests.push(
          tolerate(
            fixture.people.fay.client.post('messages/flags', {
              messages: ids,
              op: round % 2 === 0 ? 'add' : 'remove',
              flag: change === 9 ? 'read' : 'mentioned',
            }),
          ),
        );
    }
  }
  const answers = await Promise.all(requests);
  for (const answer of answers)
    if (typeof answer === 'string')
      expect([invalidMessage, 'Message already deleted']).toContain(answer);
  // Applying the events in order results in the stored state.
  const state = new Map(ids.map((id, n) => [id, { subject: topic, content: `start ${n}` }]));
  for (const event of await events('dan')) {
    const id = event['message_id'] as number;
    expect(state.has(id)).toBe(true);
    if (event['type'] === 'delete_message') {
      expect(event['topic']).toBe(state.get(id)?.subject);
      state.delete(id);
      continue;
    }
    const known = state.get(id);
    if (event['content'] !== undefined) {
      expect(event['orig_content']).toBe(known?.content);
      if (known !== undefined) known.content = event['content'] as string;
    }
    if (event['subject'] === undefined) continue;
    expect(event['orig_subject']).toBe(known?.subject);
    for (const moved of event['message_ids'] as number[]) {
      expect(state.get(moved)?.subject).toBe(event['orig_subject']);
      const other = state.get(moved);
      if (other !== undefined) other.subject = event['subject'] as string;
    }
  }
  const { messages } = await fetchMessages(fixture.people.dan, {
    narrow: [['stream', 'Denmark']],
    num_before: 1_000,
  });
  const stored = messages
    .filter((message) => ids.includes(message.id))
    .map(({ id, subject, content }) => [id, { subject, content }]);
  expect(stored).toEqual([...state].toSorted(([a], [b]) => a - b));
});

describe('notices of a move', () => {
  const contentsOf = async (name: string, stream = 'Denmark'): Promise<unknown[]> => {
    await settle();
    const narrow = [
      ['stream', stream],
      ['topic', name],
    ];
    const { messages } = await fetchMessages(fixture.people.fay, { narrow, apply_markdown: false });
    return messages.map(({ content }) => content);
  };
  const moveAll = async (given: object = {}): Promise<string> => {
    const [first] = await fixture.sendEach(topic, 'bob', 'fay');
    const to = `${topic} moved`;
    await fixture.edit('bob', first, { topic: to, propagate_mode: 'change_all', ...given });
    return to;
  };
  const by = () => `by @_**Bob Ray|${fixture.people.bob.id}**.`;

  test('stand in both topics if the organization has them', async () => {
    await fixture.withSettings({ send_move_notices: true }, async () => {
      const to = await moveAll();
      expect(await contentsOf(topic)).toEqual([
        `2 messages were moved from here to #**Denmark>${to}** ${by()}`,
      ]);
      expect((await contentsOf(to)).slice(2)).toEqual([
        `2 messages were moved here from #**Denmark>${topic}** ${by()}`,
      ]);
    });
  });

  test('of one message, in the topics that the request asks for', async () => {
    await fixture.withSettings({ send_move_notices: true }, async () => {
      const to = await moveAll({
        propagate_mode: 'change_one',
        send_notification_to_old_thread: false,
      });
      expect(await contentsOf(topic)).toHaveLength(1);
      expect((await contentsOf(to)).slice(1)).toEqual([
        `1 message was moved here from #**Denmark>${topic}** ${by()}`,
      ]);
    });
  });

  test('are only left where new members may read what was there before them', async () => {
    await fixture.withSettings({ send_move_notices: true }, async () => {
      const noticesIn = async (stream: string): Promise<number> => {
        const id = await fixture.send('bob', topic, 'early', stream);
        await fixture.edit('bob', id, { topic: `${topic} moved` });
        const left = await contentsOf(topic, stream);
        return left.length + (await contentsOf(`${topic} moved`, stream)).length - 1;
      };
      expect(await noticesIn('shared')).toBe(2);
      expect(await noticesIn('secret')).toBe(0);
    });
  });

  test('are not written where nothing moves, or the organization has none', async () => {
    const to = await moveAll({ send_notification_to_new_thread: true });
    expect(await contentsOf(to)).toHaveLength(2);
    await fixture.withSettings({ send_move_notices: true }, async () => {
      const [first] = await fixture.sendEach(topic, 'bob');
      await fixture.edit('bob', first, { topic: topic.toUpperCase() });
      expect(await contentsOf(topic)).toHaveLength(1);
    });
  });
});
