/** Event queues through the gateway, on two event nodes: poll, delete, narrows and lifetimes. The answer of register is in register.test.ts. */
import { deleteIdleEventQueues } from '@parley/store';
import type { JsonObject } from '@parley/test-kit';
import { readObjects, waitUntil } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { NodeClient } from '../support/ask-node.ts';
import { anyNumber, anyString, textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { expectRefusal, invalid, missing, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization());
beforeAll(async () => {
  const bob = organization.client('bob');
  await bob.subscribe('general', {
    principals: ['ann@example.com', 'bob@example.com', 'gil@example.com'],
  });
  await bob.subscribe('board', { invite_only: true });
});

type Message = { readonly id: number; readonly content: string };
type Queue = { readonly queue_id: string; readonly last_event_id: number };

/** A queue of messages, unless told otherwise. */
async function register(who: PersonKey, parameters: object = {}): Promise<Queue & JsonObject> {
  const answer = await organization
    .client(who)
    .post('register', { event_types: ['message'], fetch_event_types: [], ...parameters });
  return answer as unknown as Queue & JsonObject;
}

async function poll(
  who: PersonKey,
  queue: Queue,
  parameters: object = {},
): Promise<readonly JsonObject[]> {
  const answer = await organization.client(who).get('events', {
    queue_id: queue.queue_id,
    last_event_id: queue.last_event_id,
    dont_block: true,
    ...parameters,
  });
  return readObjects(answer, 'events');
}

async function send(
  who: PersonKey,
  to: string,
  content: string,
  more: object = {},
): Promise<number> {
  const answer = await organization
    .client(who)
    .post('messages', { type: 'stream', to, topic: 'lunch', content, ...more });
  return answer['id'] as number;
}

function messagesOf(events: readonly JsonObject[]): readonly Message[] {
  return events.map((event) => event['message'] as Message);
}

const contentsOf = (events: readonly JsonObject[]): unknown[] =>
  messagesOf(events).map(({ content }) => content);
const idsOf = (events: readonly JsonObject[]): number[] => messagesOf(events).map(({ id }) => id);

const noQueue = (queue_id: string): JsonObject => ({
  ...uncoded(`Bad event queue id: ${queue_id}`),
  code: 'BAD_EVENT_QUEUE_ID',
  queue_id,
});

async function heldPolls(): Promise<number> {
  const counts = await Promise.all(
    organization.cluster
      .findProcesses('events')
      .map((node) => node.readMetric('parley_event_polls_held')),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('GET events', () => {
  test('returns the same events until they are acknowledged, whatever the start', async () => {
    const queue = await register('ann');
    expect(await poll('ann', queue)).toEqual([]);
    const ids = [await send('bob', 'general', 'one'), await send('bob', 'general', 'two')];
    const events = await poll('ann', queue);
    expect(idsOf(events)).toEqual(ids);
    const [first, second] = events.map((event) => event['id'] as number);
    expect(first).toBeGreaterThan(queue.last_event_id);
    expect(second).toBeGreaterThan(first ?? 0);
    for (const last of [queue.last_event_id, 0, -1, queue.last_event_id]) {
      expect(await poll('ann', queue, { last_event_id: last })).toEqual(events);
    }
    expect(await poll('ann', queue, { last_event_id: first })).toEqual([events[1]]);
    expect(await poll('ann', queue, { last_event_id: second })).toEqual([]);
    expect(await poll('ann', queue)).toEqual(events);
    // An id that was never given out acknowledges present events, but does not hide later ones.
    expect(await poll('ann', queue, { last_event_id: '10000000000000000' })).toEqual([]);
    const held = poll('ann', queue, { last_event_id: 999_999_999, dont_block: false });
    const third = await send('bob', 'general', 'three');
    expect(idsOf(await held)).toEqual([third]);
  });

  test('wakes a held poll at any node', async () => {
    for (let round = 0; round < 6; round += 1) {
      const queue = await register('ann', { apply_markdown: true });
      const held = poll('ann', queue, { dont_block: false });
      const id = await send('bob', 'general', `**round** ${round}`);
      expect(await held).toMatchObject([
        {
          type: 'message',
          flags: [],
          message: {
            id,
            content: `<p><strong>round</strong> ${round}</p>`,
            content_type: 'text/html',
          },
        },
      ]);
    }
  });

  test('wakes a held poll only with what its queue gets', async () => {
    const queue = await register('ann', { narrow: ['topic', 'dinner'] });
    const held = poll('ann', queue, { dont_block: false });
    await waitUntil('the poll is held', async () => (await heldPolls()) === 1);
    await send('bob', 'general', 'no match');
    await send('bob', 'general', 'match', { topic: 'dinner' });
    expect(contentsOf(await held)).toEqual(['match']);
  });

  test('gives each queue its variant, and the local echo to the queue named in the send', async () => {
    const raw = await register('bob', { client_gravatar: true });
    const html = await register('bob', { apply_markdown: true });
    await send('bob', 'general', 'see **this**', { queue_id: html.queue_id, local_id: '7.01' });
    const [rawEvent] = await poll('bob', raw);
    const [htmlEvent] = await poll('bob', html);
    expect(rawEvent).toMatchObject({
      message: { content: 'see **this**', content_type: 'text/x-markdown', avatar_url: null },
    });
    expect(rawEvent).not.toHaveProperty('local_message_id');
    expect(htmlEvent).toMatchObject({
      local_message_id: '7.01',
      message: {
        content: '<p>see <strong>this</strong></p>',
        avatar_url: textMatching(/^https:\/\/secure\.gravatar\.com\/avatar\//),
      },
    });
  });

  test('echoes a local id only to its sender, whatever queue the send names', async () => {
    const queue = await register('bob');
    await send('ann', 'general', 'not mine', { queue_id: queue.queue_id, local_id: '8.01' });
    const [event] = await poll('bob', queue);
    expect(event).toMatchObject({ message: { content: 'not mine' } });
    expect(event).not.toHaveProperty('local_message_id');
  });

  test('wider filters add public streams only, and nothing for guests', async () => {
    const all = await register('cat', { all_public_streams: true });
    const narrowed = await register('cat', { narrow: ['stream', 'GENERAL'] });
    const elsewhere = await register('cat', { narrow: [['topic', 'dinner']] });
    const twoTerms = await register('cat', {
      narrow: [
        ['stream', 'General'],
        ['topic', 'LUNCH'],
      ],
    });
    const onBoard = await register('cat', { narrow: ['stream', 'board'] });
    await organization.client('ann').subscribe('attic');
    const [notice] = await poll('cat', all, { dont_block: false });
    const { id: firstOfAttic } = (notice ?? {})['message'] as Message;
    const guest = await register('gil', { all_public_streams: true });
    const attic = await send('ann', 'attic', 'dust');
    const general = await send('bob', 'general', '@**Cat Moe** come');
    await send('bob', 'board', 'secret');
    const received = async (who: PersonKey, queue: Queue): Promise<unknown[]> =>
      (await poll(who, queue)).map((event) => [(event['message'] as Message).id, event['flags']]);
    expect(await received('cat', all)).toEqual([
      [firstOfAttic, []],
      [attic, []],
      [general, []],
    ]);
    expect(await received('cat', narrowed)).toEqual([[general, []]]);
    expect(await received('cat', twoTerms)).toEqual([[general, []]]);
    expect(await received('cat', elsewhere)).toEqual([]);
    expect(await received('cat', onBoard)).toEqual([]);
    expect(await received('gil', guest)).toEqual([[general, []]]);
  });

  test('a second poll ends the first, unless it is refused', async () => {
    const queue = await register('ann');
    const first = poll('ann', queue, { dont_block: false });
    await waitUntil('the poll is held', async () => (await heldPolls()) === 1);
    await refusalOf(poll('ann', queue, { last_event_id: 'x' }));
    await refusalOf(poll('bob', queue));
    expect(await heldPolls()).toBe(1);
    const second = poll('ann', queue, { dont_block: false });
    expect(await first).toEqual([]);
    const id = await send('bob', 'general', 'for the second');
    expect(idsOf(await second)).toEqual([id]);
  });

  test('two polls of one queue at two nodes are both answered', async () => {
    const queue = await register('ann');
    const { cluster } = organization;
    using stack = new DisposableStack();
    const answers = cluster.findProcesses('events').map(async ({ url }) => {
      const node = stack.use(new NodeClient(cluster, url));
      for (let last = queue.last_event_id; ;) {
        const { events } = await node.ask(organization.caller('ann'), 'get-events', {
          queue_id: queue.queue_id,
          last_event_id: String(last),
        });
        const messages = (events as JsonObject[]).filter(({ type }) => type === 'message');
        if (messages.length > 0) return contentsOf(messages);
        last = ((events as JsonObject[]).at(-1)?.['id'] as number | undefined) ?? last;
      }
    });
    await waitUntil('both are held', async () => (await heldPolls()) === 2);
    await send('bob', 'general', 'for both');
    expect(await Promise.all(answers)).toEqual([['for both'], ['for both']]);
  });

  test.each([{ dont_block: true }, {}])(
    'registers if no queue is named, with the parameters of register: %o',
    async (more) => {
      const answer = await organization.client('ann').get('events', {
        event_types: ['message'],
        apply_markdown: true,
        narrow: [['topic', 'by get']],
        fetch_event_types: ['message'],
        include_subscribers: true,
        queue_lifespan_secs: 700,
        ...more,
      });
      expect(answer).toEqual({
        result: 'success',
        msg: '',
        events: [],
        queue_id: anyString,
        last_event_id: anyNumber,
      });
      await send('bob', 'general', 'no');
      await send('bob', 'general', '**yes**', { topic: 'by get' });
      expect(contentsOf(await poll('ann', answer as unknown as Queue))).toEqual([
        '<p><strong>yes</strong></p>',
      ]);
    },
  );

  /** `own` and `bobs` stand for the ids of queues. */
  const noLastId = "Missing 'last_event_id' argument";
  test.each<[string, { queue_id: string; last_event_id?: unknown }, JsonObject | string]>([
    ['no last id', { queue_id: 'own' }, noLastId],
    ['no last id, before the queue is looked up', { queue_id: '1:99' }, noLastId],
    [
      'a last id that is no number',
      { queue_id: 'own', last_event_id: 'abc' },
      invalid('last_event_id', 'abc'),
    ],
    ['an unknown queue', { queue_id: '1:2', last_event_id: 0 }, noQueue('1:2')],
    ['an empty queue id', { queue_id: '', last_event_id: 0 }, noQueue('')],
    [
      "somebody else's queue, also to administrators",
      { queue_id: 'bobs', last_event_id: 0 },
      'You are not authorized to get events from this queue',
    ],
  ])('refuses %s', async (_what, { queue_id: named, last_event_id }, refusal) => {
    const queues = { own: await register('ann'), bobs: await register('bob') };
    const queue_id = named === 'own' || named === 'bobs' ? queues[named].queue_id : named;
    await expectRefusal(
      organization.client('ann').get('events', { queue_id, last_event_id }),
      refusal,
    );
    expect(await poll('bob', queues.bobs)).toEqual([]);
  });
});

describe('a narrow', () => {
  test('filters only messages', async () => {
    const queue = await register('bob', {
      narrow: ['stream', 'nowhere'],
      event_types: ['message', 'reaction', 'stream', 'subscription'],
    });
    const id = await send('bob', 'general', 'bread');
    await organization.client('bob').post(`messages/${id}/reactions`, { emoji_name: 'tada' });
    await organization.client('bob').subscribe('held');
    const kinds = (await poll('bob', queue)).map(({ type, op }) => `${String(type)}/${String(op)}`);
    expect(kinds.slice(0, 4)).toEqual([
      'reaction/add',
      'stream/create',
      'stream/occupy',
      'subscription/add',
    ]);
    expect(kinds.some((kind) => kind.startsWith('message'))).toBe(false);
  });

  test('is:mentioned includes mentions by name and excludes wildcards; the other words work as documented', async () => {
    const narrowedTo = async (operand: string): Promise<readonly [string, Queue]> => [
      operand,
      await register('ann', { narrow: [['is', operand]] }),
    ];
    const queues = await Promise.all(
      ['mentioned', 'alerted', 'private', 'starred', 'unread', 'whatever'].map(narrowedTo),
    );
    const bySender = await register('ann', {
      narrow: [['sender', 'BOB@example.com']],
    });
    await send('bob', 'general', '@**all** look');
    await send('bob', 'general', '@**Ann Lee** look');
    await organization
      .client('bob')
      .post('messages', { type: 'private', to: ['ann@example.com'], content: 'psst' });
    await send('ann', 'general', 'mine', { client: 'website' });
    const all = ['@**all** look', '@**Ann Lee** look', 'psst', 'mine'];
    const got: Record<string, unknown[]> = {};
    for (const [operand, queue] of queues) got[operand] = contentsOf(await poll('ann', queue));
    expect(got).toEqual({
      mentioned: ['@**Ann Lee** look'],
      alerted: ['@**Ann Lee** look'],
      private: ['psst'],
      starred: [],
      unread: all.slice(0, 3),
      whatever: all,
    });
    expect(contentsOf(await poll('ann', bySender))).toEqual(all.slice(0, 3));
  });
});

describe('DELETE events', () => {
  test('ends a queue once, by its id in the body or query, and the poll that waits on it', async () => {
    const queue = await register('ann');
    const held = poll('ann', queue, { dont_block: false });
    await waitUntil('the poll is held', async () => (await heldPolls()) === 1);
    await organization.client('ann').delete('events', { queue_id: queue.queue_id });
    expect(await held).toEqual([]);
    const other = await register('ann');
    await organization.client('ann').call('DELETE', `events?queue_id=${other.queue_id}`);
    for (const { queue_id } of [queue, other]) {
      await expectRefusal(
        organization.client('ann').delete('events', { queue_id }),
        noQueue(queue_id),
      );
      await expectRefusal(poll('ann', { queue_id, last_event_id: 0 }), noQueue(queue_id));
    }
  });

  test('refuses a missing queue id and the queue of somebody else, also to administrators', async () => {
    const queue = await register('bob');
    const ann = organization.client('ann');
    await expectRefusal(ann.delete('events'), missing('queue_id'));
    await expectRefusal(
      ann.delete('events', { queue_id: queue.queue_id }),
      uncoded('You are not authorized to access this queue'),
    );
    expect(await poll('bob', queue)).toEqual([]);
  });
});

test('a lifetime is as requested, ten minutes by default, at most a week', async () => {
  const storedLifespanOf = async (queueId: unknown): Promise<number | undefined> => {
    const { rows } = await organization.pool.query<{ lifespan: number }>({
      text: 'SELECT lifespan_secs AS lifespan FROM event_queues WHERE queue_id = $1',
      values: [queueId],
    });
    return rows[0]?.lifespan;
  };
  const open = async (parameters: object = {}): Promise<string> =>
    (await register('ann', parameters)).queue_id;
  for (const [parameters, lifespan] of [
    [{}, 600],
    [{ queue_lifespan_secs: 0 }, 600],
    [{ queue_lifespan_secs: 5 }, 5],
    ...['604801', '4294967296', '9'.repeat(400)].map(
      (seconds) => [{ queue_lifespan_secs: seconds }, 604_800] as const,
    ),
  ] as const)
    expect(await storedLifespanOf(await open(parameters))).toBe(lifespan);
  const { queue_id: byPoll } = await organization
    .client('ann')
    .get('events', { lifespan_secs: '604801', dont_block: true });
  expect(await storedLifespanOf(byPoll)).toBe(604_800);

  const idleFor = async (minutes: number, parameters: object = {}): Promise<string> => {
    const queueId = await open(parameters);
    await organization.pool.query({
      text: 'UPDATE event_queues SET last_polled_at = parley_now() - make_interval(mins => $2) WHERE queue_id = $1',
      values: [queueId, minutes],
    });
    return queueId;
  };
  const nine = await idleFor(9);
  const ended = [await idleFor(12), await idleFor(9, { queue_lifespan_secs: 1 })];
  expect((await deleteIdleEventQueues(organization.pool, new Date(0))).toSorted()).toEqual(
    ended.toSorted(),
  );
  expect(await poll('ann', { queue_id: nine, last_event_id: 0 })).toEqual([]);
});
