import { setImmediate as nextTurn } from 'node:timers/promises';

import { ApiError } from '@parley/api';
import { NotSent } from '@parley/event-log';
import type { SendItem, SendOutcome } from '@parley/event-log';
import { createLogger } from '@parley/logging';
import { expect, test, vi } from 'vitest';

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
    search_text: '',
    audience: 0,
    payload: '',
  };
}

const sent = (messageId: number): SendOutcome => ({
  outcome: 'sent',
  messageId,
  position: messageId,
});

/** A log that stores keys, and follows the script for each statement before it answers properly. */
function scripted(
  script: ((keys: readonly string[]) => SendOutcome[] | Error | undefined)[],
  options: Partial<BatchWriterOptions> = {},
): { writer: BatchWriter; batches: string[][] } {
  const batches: string[][] = [];
  const known = new Map<string, number>();
  const writer = new BatchWriter({
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
  return { writer, batches };
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

test('a busy item is retried and the others are answered', async () => {
  const { writer, batches } = scripted([
    () => [{ outcome: 'busy', messageId: undefined, position: undefined }],
  ]);
  expect(await writer.send(item('a'), false)).toMatchObject({ outcome: 'sent' });
  expect(batches).toEqual([['a'], ['a']]);
});

test('others do not wait for a busy item', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  let isBusy = true;
  const { writer, batches } = scripted(
    Array.from(
      { length: 8 },
      () =>
        (keys: readonly string[]): SendOutcome[] =>
          keys.map((key) =>
            key === 'locked' && isBusy
              ? { outcome: 'busy', messageId: undefined, position: undefined }
              : { outcome: 'sent', messageId: 1, position: 1 },
          ),
    ),
  );
  const locked = writer.send(item('locked'), false);
  for (const key of ['a', 'b', 'c']) await writer.send(item(key), false);
  expect(batches).toEqual([['locked', 'a'], ['b'], ['c']]);
  isBusy = false;
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
  expect(await locked).toMatchObject({ outcome: 'sent' });
  await writer.drain();
  expect(batches).toEqual([['locked', 'a'], ['b'], ['c'], ['locked']]);
});

test('after a lost connection the same keys are sent again', async () => {
  const { writer, batches } = scripted([connectionLost, connectionLost]);
  expect(await writer.send(item('a'), false)).toMatchObject({ outcome: 'sent', messageId: 1 });
  expect(batches).toHaveLength(3);
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

test("after the deadline a send with a client's key is refused with 503; others are retried longer", async () => {
  const away = Array.from({ length: 4 }, () => connectionLost);
  const refusing = scripted([...away], { deadlineMs: 0 });
  await expect(refusing.writer.send(item('a'), true)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
  });
  const asking = scripted([...away], { deadlineMs: 0 });
  expect(await asking.writer.send(item('b'), false)).toMatchObject({ outcome: 'sent' });
});

test('a full queue refuses with 503', async () => {
  const { writer } = scripted([], { queueItemsMax: 1 });
  const first = writer.send(item('a'), false);
  await nextTurn();
  const second = writer.send(item('b'), false);
  expect(() => writer.send(item('c'), false)).toThrow(ApiError);
  await Promise.all([first, second]);
  await writer.drain();
});

test('a send that never reached Postgres is refused as soon as its failure is certain', async () => {
  const away = new NotSent('away', {
    cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  });
  const { writer } = scripted(
    Array.from({ length: 1_000 }, () => () => away),
    // An unknown outcome would be waited for, past the end of this test.
    { deadlineMs: 50, unknownDeadlineMs: 600_000 },
  );
  await expect(writer.send(item('a'), false)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
  });
});
