import { setImmediate as nextTurn } from 'node:timers/promises';

import { ApiError } from '@parley/api';
import { MovedClock, WhollyMovedClock } from '@parley/clock';
import { NotSent } from '@parley/event-log';
import type { SendItem, SendOutcome } from '@parley/event-log';
import { createLogger } from '@parley/telemetry/logging';
import { expect, test } from 'vitest';

import { BatchWriter } from './batch-writer.ts';
import type { BatchWriterOptions } from './batch-writer.ts';

const log = createLogger({ service: 'messages', nodeId: 'test', level: 'silent' });

function item(key: string): SendItem {
  return {
    send_key: key,
    content_hash: '',
    sender_id: 1,
    may_be_first: false,
    conversation_id: 1,
    recipient_id: 1,
    topic: '',
    content: key,
    rendered_content: '',
    client: '',
    sent_at_secs: 0,
    is_me_message: false,
    has_link: false,
    has_image: false,
    has_attachment: false,
    read_by_sender: false,
    mentions_wildcard: false,
    mentioned_ids: [],
    late_receipt_ids: [],
    search_words: '',
    audience: 0,
    payload: '',
  };
}

const sent = (messageId: number): SendOutcome => ({
  outcome: 'sent',
  messageId,
  position: messageId,
});

type Scripted = {
  readonly clock: MovedClock;
  readonly writer: BatchWriter;
  readonly batches: string[][];
};

/** A log that stores keys, and follows the script for each statement before it answers properly. Each wait takes the time of the clock. */
function scripted(
  script: ((keys: readonly string[]) => SendOutcome[] | Error | undefined)[],
  options: Partial<BatchWriterOptions> = {},
): Scripted {
  const batches: string[][] = [];
  const known = new Map<string, number>();
  const clock = new WhollyMovedClock();
  const writer = new BatchWriter({
    clock,
    log,
    send: async (items) => {
      const keys = items.map(({ send_key: key }) => key);
      batches.push(keys);
      await nextTurn();
      const answer = script.shift()?.(keys);
      if (answer instanceof Error) throw answer;
      return (
        answer ??
        keys.map((key) => {
          const first = known.get(key);
          if (first !== undefined)
            return { outcome: 'repeated', messageId: first, position: undefined };
          known.set(key, known.size + 1);
          return sent(known.size);
        })
      );
    },
    ...options,
  });
  return { clock, writer, batches };
}

/** Lets a statement and what follows from it happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

/** Moves the time, with all attempts that are due. */
async function move({ clock }: Scripted, ms: number): Promise<void> {
  await settle();
  await clock.advance(ms, settle);
}

/** Moves the time until nothing is in progress. */
async function finish({ clock, writer }: Scripted): Promise<void> {
  await settle();
  while (!writer.isIdle) await clock.advance(clock.nextInMs ?? 0, settle);
}

const connectionLost = (): Error =>
  Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
const refusedByDatabase = (): Error =>
  Object.assign(new Error('bad'), { code: '22P02', severity: 'ERROR' });

test('sends that arrive during a statement share the next one, never with one key twice', async () => {
  const { writer, batches } = scripted([], { batchItemsMax: 3 });
  const first = writer.send(item('a'), false);
  await nextTurn();
  const others = ['b', 'c', 'c', 'd', 'e'].map((key) => writer.send(item(key), false));
  const outcomes = await Promise.all([first, ...others]);
  expect(batches).toEqual([['a'], ['b', 'c', 'd'], ['c', 'e']]);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual([
    'sent',
    'sent',
    'sent',
    'repeated',
    'sent',
    'sent',
  ]);
  expect(outcomes[3]?.messageId).toBe(outcomes[2]?.messageId);
});

const isBusy: SendOutcome = { outcome: 'busy', messageId: undefined, position: undefined };

test('a busy item is retried and the others are answered', async () => {
  const one = scripted([() => [isBusy]]);
  const outcome = one.writer.send(item('a'), false);
  await finish(one);
  expect(await outcome).toMatchObject({ outcome: 'sent' });
  expect(one.batches).toEqual([['a'], ['a']]);
});

test('others do not wait for a busy item, which waits a little longer each time', async () => {
  let isLocked = true;
  const one = scripted(
    Array.from(
      { length: 100 },
      () =>
        (keys: readonly string[]): SendOutcome[] =>
          keys.map((key) => (key === 'locked' && isLocked ? isBusy : sent(1))),
    ),
  );
  const { writer, batches } = one;
  const locked = writer.send(item('locked'), false);
  for (const key of ['a', 'b', 'c']) await writer.send(item(key), false);
  expect(batches).toEqual([['locked', 'a'], ['b'], ['c']]);
  let attempts = 3;
  for (const waitMs of [20, 40, 80, 100, 100]) {
    await move(one, waitMs - 1);
    expect(batches).toHaveLength(attempts);
    await move(one, 1);
    attempts += 1;
    expect(batches).toHaveLength(attempts);
  }
  isLocked = false;
  await finish(one);
  expect(await locked).toMatchObject({ outcome: 'sent' });
  expect(batches.slice(3)).toEqual(Array.from({ length: 6 }, () => ['locked']));
});

test('after a lost connection the same keys are sent again', async () => {
  const one = scripted([connectionLost, connectionLost]);
  const outcome = one.writer.send(item('a'), false);
  await finish(one);
  expect(await outcome).toMatchObject({ outcome: 'sent', messageId: 1 });
  expect(one.batches).toEqual([['a'], ['a'], ['a']]);
});

test('a batch that the database refuses is repeated item by item, and only the bad one fails', async () => {
  const refuseBad = (keys: readonly string[]): Error | undefined =>
    keys.includes('bad') ? refusedByDatabase() : undefined;
  const { writer, batches } = scripted([refuseBad, refuseBad, refuseBad, refuseBad, refuseBad]);
  const outcomes = await Promise.allSettled(
    ['first', 'good', 'bad', 'fine'].map((key) => writer.send(item(key), false)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(batches).toEqual([
    ['first', 'good', 'bad', 'fine'],
    ['first'],
    ['good'],
    ['bad'],
    ['fine'],
  ]);
});

test.each([
  ['that may have happened, under the key of its client', connectionLost, true, 5_000],
  [
    'that may have happened, under a key that its client cannot repeat',
    connectionLost,
    false,
    50_000,
  ],
  [
    'that never reached Postgres',
    (): Error => new NotSent('away', { cause: connectionLost() }),
    false,
    5_000,
  ],
])(
  'a send %s is refused with 503 after its time, and not before',
  async (_what, fail, repeatIsHarmless, deadlineMs) => {
    const one = scripted(Array.from({ length: deadlineMs / 100 + 20 }, () => fail));
    const refused = new Map<string, unknown>();
    const send = (key: string): void => {
      one.writer
        .send(item(key), repeatIsHarmless)
        .catch((error: unknown) => refused.set(key, error));
    };
    // It makes the attempts come after 0, 20, 60 and 140 ms, and then every 100 ms.
    send('first');
    await move(one, 140);
    send('due');
    await move(one, 1);
    send('next');
    await move(one, deadlineMs - 2);
    expect([...refused.keys()]).toEqual(['first']);
    await move(one, 1);
    expect([...refused.keys()]).toEqual(['first', 'due']);
    expect(refused.get('due')).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      headers: { 'Retry-After': '1' },
    });
    await move(one, 100);
    expect([...refused.keys()]).toEqual(['first', 'due', 'next']);
    const attempts = one.batches.length;
    await finish(one);
    expect(one.batches).toHaveLength(attempts);
  },
);

test('a full queue refuses with 503', async () => {
  const { writer } = scripted([], { queueItemsMax: 1 });
  const first = writer.send(item('a'), false);
  await nextTurn();
  const second = writer.send(item('b'), false);
  expect(() => writer.send(item('c'), false)).toThrow(ApiError);
  await Promise.all([first, second]);
  await writer.drain();
});
