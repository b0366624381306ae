import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { LaterAnswer } from '@parley/server';
import { expect, test } from 'vitest';

import { ModelledLog } from '../../tests/modelled-log.ts';
import { NodeFeed } from '../feed/node-feed.ts';
import { answerBounds } from './collect-events.ts';
import type { LogAccess } from './collect-events.ts';
import { EventQueue } from './event-queue.ts';
import { openStream } from './event-stream.ts';
import { EventTexts } from './event-texts.ts';
import { Heartbeats } from './heartbeats.ts';
import { poll } from './poll.ts';
import { QueueReader } from './queue-reader.ts';
import type { ReaderContext, Reading } from './queue-reader.ts';

const head = { epoch: 1, endPosition: 0, beginPosition: 0, messageId: 0 };

type Read = {
  readonly clock: MovedClock;
  readonly log: ModelledLog;
  readonly context: ReaderContext;
  readonly queue: EventQueue;
  readonly feed: NodeFeed;
};

async function makeQueue(draining = new AbortController().signal): Promise<Read> {
  const clock = new MovedClock();
  const log = new ModelledLog();
  const feed = new NodeFeed({
    tail: { entriesMax: 2_000, bytesMax: 1_000_000 },
    deliveriesMax: 10,
    loadView: async (userId) => ({ view: log.viewOf(userId), exactAt: log.end }),
    findQueue: () => undefined,
    onUnreadableEntry: () => expect.unreachable('all entries can be read'),
  });
  const nothing = async (): Promise<never[]> => [];
  const logAccess: LogAccess = {
    tail: feed.tail,
    conversationIdsOf: nothing,
    readEntries: nothing,
    readBeginPosition: async () => 0,
    openSealed: () => ({}),
    flagsOf: nothing,
    subscribersAt: nothing,
    firstMessageUpTo: async () => null,
    heldInStream: nothing,
  };
  const context: ReaderContext = {
    clock,
    follower: {
      beginPosition: 0,
      cursor: 0,
      epochs: [],
      checkHead: async () => head,
      waitFor: async () => true,
    },
    canRead: () => true,
    logAccess,
    heartbeats: new Heartbeats(clock, { minMs: 60_000, maxMs: 60_000 }),
    draining,
    onRefused: () => undefined,
    onAnswer: () => undefined,
    onFullAnswer: () => undefined,
    log: createLogger({ service: 'test', nodeId: 'test', level: 'silent' }),
  };
  const queue = new EventQueue(
    {
      queueId: '1:1',
      userId: 1,
      startPosition: 0,
      lifespanSecs: 600,
      idleSecs: 0,
      descriptor: {
        eventTypes: null,
        narrow: [],
        applyMarkdown: true,
        clientGravatar: false,
        allPublicStreams: false,
        includeSubscribers: false,
      },
    },
    clock.elapsedMs(),
  );
  feed.reset(0);
  await feed.attach(queue);
  return { clock, log, context, queue, feed };
}

const heartbeatOfSeven = { id: 7, text: '{"type":"heartbeat","id":7}' };

test.each([
  // With bounds of a minute, heartbeats come a step earlier.
  ['a heartbeat', { minMs: 60_000, maxMs: 60_000 }, 7, 59_750, [heartbeatOfSeven]],
  ['nothing, if no id is free,', { minMs: 45_000, maxMs: 55_000 }, 0, 54_750, []],
])(
  'a reader without events gets %s at the end of its wait, and not before',
  async (_what, bounds, cursor, waitMs, events) => {
    const { clock, context, queue } = await makeQueue();
    const following = {
      ...context,
      follower: { ...context.follower, cursor },
      heartbeats: new Heartbeats(clock, bounds),
    };
    const { signal } = new AbortController();
    const reader = await QueueReader.open(following, queue, {
      kind: 'poll',
      lastEventId: 0,
      catchUp: false,
      bounds: answerBounds,
      signal,
    });
    const readings: Reading[] = [];
    reader.follow(signal, {
      onReading: (reading) => readings.push(reading),
      onFault: () => expect.unreachable('the log can be read'),
    });
    await clock.advance(waitMs - 1);
    expect(readings).toEqual([]);
    await clock.advance(1);
    expect(readings).toEqual([{ events, isFull: false, isOver: false }]);
  },
);

async function openBeforeReset(catchUp: boolean): Promise<QueueReader> {
  const { context, queue, feed } = await makeQueue();
  const reader = await QueueReader.open(context, queue, {
    kind: 'poll',
    lastEventId: 0,
    catchUp,
    bounds: answerBounds,
    signal: new AbortController().signal,
  });
  feed.reset(0);
  return reader;
}

test('a nonblocking poll is not answered as empty if the log is reset during it', async () => {
  const reader = await openBeforeReset(true);
  await expect(reader.readPending()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a held poll ends without events if the log is reset during it', async () => {
  const reader = await openBeforeReset(false);
  const reading = new Promise((resolve, reject) =>
    reader.follow(new AbortController().signal, { onReading: resolve, onFault: reject }),
  );
  await expect(reading).resolves.toEqual({ events: [], isFull: false, isOver: true });
});

async function pollQueue(draining: AbortController): Promise<() => Promise<unknown>> {
  const { context, queue } = await makeQueue(draining.signal);
  const answer = await poll({ read: context, texts: new EventTexts() }, queue, {
    lastEventId: 0,
    dontBlock: false,
    signal: new AbortController().signal,
  });
  if (!(answer instanceof LaterAnswer)) return async () => answer;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  answer.begin({ answer: resolve, fail: reject });
  draining.abort();
  queue.finishTurn();
  return () => promise;
}

test('a held poll ends without events when the node drains', async () => {
  const settled = await pollQueue(new AbortController());
  await expect(settled()).resolves.toMatchObject({ own: '],"queue_id":"1:1"}' });
});

test('a poll on a draining node is refused if there are no events', async () => {
  const draining = new AbortController();
  draining.abort();
  const settled = await pollQueue(draining);
  await expect(settled()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a stream on a draining node is refused, so that it does not stay', async () => {
  const draining = new AbortController();
  draining.abort();
  const { context, queue } = await makeQueue(draining.signal);
  const opening = openStream({ read: context, texts: new EventTexts() }, queue, {
    lastEventId: 0,
    signal: new AbortController().signal,
  });
  await expect(opening).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(queue.readBy).toBeUndefined();
});

test('a client that hung up before the node caught up does not take the queue from the next reader', async () => {
  const { context, queue } = await makeQueue();
  const caughtUp = Promise.withResolvers<boolean>();
  const behind = {
    ...context,
    follower: { ...context.follower, waitFor: () => caughtUp.promise },
  };
  const hangUp = new AbortController();
  const opening = openStream({ read: behind, texts: new EventTexts() }, queue, {
    lastEventId: 1,
    signal: hangUp.signal,
  });
  hangUp.abort();
  const next = queue.take('stream');
  caughtUp.resolve(true);
  await expect(opening).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(next.isOver).toBe(false);
});

test('a queue whose end the node learns while it catches up is gone', async () => {
  const { context, queue } = await makeQueue();
  const behind = {
    ...context,
    follower: {
      ...context.follower,
      waitFor: async () => {
        queue.end();
        return true;
      },
    },
  };
  const polled = poll({ read: behind, texts: new EventTexts() }, queue, {
    lastEventId: 0,
    dontBlock: true,
    signal: new AbortController().signal,
  });
  await expect(polled).rejects.toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
});

test('a stream brings what comes while its client takes a long part after that part, each event once', async () => {
  const { log, context, queue, feed } = await makeQueue();
  const append = (count: number): void => {
    const before = log.entries.length;
    for (let n = 0; n < count; n += 1) log.appendSome(6, 0, 0);
    feed.take(log.entries.slice(before));
  };
  append(answerBounds.answerEventsMax + 1);
  const { begin } = await openStream({ read: context, texts: new EventTexts() }, queue, {
    lastEventId: 0,
    signal: new AbortController().signal,
  });
  let text = '';
  const taken: (() => void)[] = [];
  begin({
    write: (part, isFull, onTaken) => {
      text += part;
      if (isFull) taken.push(onTaken);
      return !isFull;
    },
    end: () => expect.unreachable('the stream goes on'),
  });
  const ids = (): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const first = log.idsFor(queue, 0, log.end).slice(0, answerBounds.answerEventsMax);
  append(2);
  expect(ids()).toEqual(first);
  expect(taken).toHaveLength(1);
  taken[0]?.();
  await expect.poll(ids).toEqual(log.idsFor(queue, 0, log.end));
  append(1);
  await expect.poll(ids).toEqual(log.idsFor(queue, 0, log.end));
});

test('a heartbeat has the position that the node has read, and hides no event after it', async () => {
  const { log, context, queue, feed } = await makeQueue();
  const append = (kind: number): void => {
    log.appendSome(kind, 0, 0);
    feed.take(log.entries.slice(-1));
  };
  append(9);
  const reader = await QueueReader.open(
    { ...context, follower: { ...context.follower, cursor: log.end } },
    queue,
    {
      kind: 'poll',
      lastEventId: 0,
      catchUp: false,
      bounds: answerBounds,
      signal: new AbortController().signal,
    },
  );
  const heartbeat = await new Promise((onReading, onFault) => {
    reader.follow(new AbortController().signal, { onReading, onFault });
    reader.onRelease('heartbeat');
  });
  expect(heartbeat).toMatchObject({ events: [{ id: log.end }] });
  append(6);
  const { events } = await reader.readPending();
  expect(events.map(({ id }) => id)).toEqual([log.end]);
  expect(await reader.readPending()).toEqual({ events: [], isFull: false, isOver: false });
});

test('a stream brings what comes while its client takes a short part', async () => {
  const { log, context, queue, feed } = await makeQueue();
  const { begin } = await openStream({ read: context, texts: new EventTexts() }, queue, {
    lastEventId: 0,
    signal: new AbortController().signal,
  });
  const parts: string[] = [];
  const taken: (() => void)[] = [];
  begin({
    write: (part, _isFull, onTaken) => {
      parts.push(part);
      taken.push(onTaken);
      return false;
    },
    end: () => expect.unreachable('the stream goes on'),
  });
  log.appendSome(6, 0, 0);
  feed.take(log.entries);
  taken[0]?.();
  await nextTurn();
  expect(parts.slice(1)).toEqual([expect.stringContaining(`id: ${log.end}`)]);
});

test('a queue ends on its node when its user is deactivated, and not before', async () => {
  const { log, queue, feed } = await makeQueue();
  for (const [what, hasEnded] of [
    [3, false],
    [4, true],
  ] as const) {
    log.appendSome(5, 0, what);
    feed.take(log.entries.slice(-1));
    expect(queue.hasEnded).toBe(hasEnded);
  }
});
