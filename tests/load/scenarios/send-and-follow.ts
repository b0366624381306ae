import { readObjects, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';

import { Latencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import type { LoadSystem } from '../load-system.ts';

export type SendAndFollowOptions = {
  readonly senders: number;
  readonly followers: number;
  readonly sendsMax: number;
  readonly durationMaxSecs: number;
};

export type SendAndFollowResult = {
  readonly sends: number;
  readonly failed_sends: number;
  readonly secs: number;
  readonly sends_per_sec: number;
  readonly deliveries: number;
  readonly send: LatencySummary;
  readonly send_to_receive: LatencySummary;
};

const deliveryDeadlineMs = 30_000;

/**
 * Closed-loop senders, each waiting for its answer, and followers that long-poll a queue each; all through the gateway. It ends
 * after so many sends or seconds, whichever comes first, and then waits for what is still on its way.
 */
export async function sendAndFollow(
  system: LoadSystem,
  options: SendAndFollowOptions,
): Promise<SendAndFollowResult> {
  const sendLatencies = new Latencies();
  const receiveLatencies = new Latencies();
  const startedAtByContent = new Map<string, number>();
  const stopping = new AbortController();
  let deliveries = 0;
  const receive = (event: JsonObject): void => {
    if (event['type'] !== 'message') return;
    const startedAt = startedAtByContent.get((event['message'] as JsonObject)['content'] as string);
    if (startedAt === undefined) return;
    receiveLatencies.recordSince(startedAt);
    deliveries += 1;
  };
  const following = await Promise.all(
    Array.from({ length: options.followers }, (_, n) =>
      openQueue(pick(system.clients, n), receive, stopping.signal),
    ),
  );
  const run = Math.random().toString(36).slice(2, 8);
  let started = 0;
  let acknowledged = 0;
  let failed = 0;
  const beganAt = performance.now();
  const endsAt = beganAt + options.durationMaxSecs * 1_000;
  const send = async (client: ApiClient): Promise<void> => {
    while (started < options.sendsMax && performance.now() < endsAt) {
      const content = `${run} ${started++}`;
      const startedAt = performance.now();
      startedAtByContent.set(content, startedAt);
      try {
        await client.sendToStream(system.stream, 'load', content);
        acknowledged += 1;
        sendLatencies.recordSince(startedAt);
      } catch (error) {
        failed += 1;
        if (failed === 1) console.error(`first failed send: ${String(error)}`);
      }
    }
  };
  await Promise.all(
    Array.from({ length: options.senders }, (_, n) => send(pick(system.clients, n))),
  );
  const secs = (performance.now() - beganAt) / 1_000;
  try {
    await waitUntil(
      'every follower has every message',
      () => deliveries >= acknowledged * options.followers,
      {
        deadlineMs: deliveryDeadlineMs,
        describe: () => `${deliveries} of ${acknowledged * options.followers}`,
      },
    );
  } finally {
    stopping.abort();
    await Promise.all(following.map(({ ended }) => ended));
  }
  return {
    sends: acknowledged,
    failed_sends: failed,
    secs: Math.round(secs * 100) / 100,
    sends_per_sec: Math.round(acknowledged / secs),
    deliveries,
    send: sendLatencies.summarize(),
    send_to_receive: receiveLatencies.summarize(),
  };
}

/** Registers a queue and follows it until the signal. */
async function openQueue(
  client: ApiClient,
  receive: (event: JsonObject) => void,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const registered = await client.post('register', { event_types: ['message'] });
  const queueId = registered['queue_id'] as string;
  let lastEventId = registered['last_event_id'] as number;
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const parameters = { queue_id: queueId, last_event_id: lastEventId };
        for (const event of readObjects(
          await client.get('events', parameters, { signal }),
          'events',
        )) {
          receive(event);
          lastEventId = event['id'] as number;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
    await client.delete('events', { queue_id: queueId });
  };
  return { ended: follow() };
}

function pick<Item>(items: readonly Item[], n: number): Item {
  const item = items[n % items.length];
  if (item === undefined) throw new Error('there are no accounts');
  return item;
}
