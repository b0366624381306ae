// Clients that continue whatever happens to the system: they send, read and follow event queues, and retry a failed request once,
// like any client.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from './api-client.mjs';
import { findGateways } from './system.mjs';

export const topic = 'upgrade';
const pauseMs = 100;
const pauseBeforeRetryMs = 250;
const gatewaysRefreshMs = 1_000;
const settleTimeoutMs = 60_000;

/**
 * Addresses of the running gateways, updated in one array, as a load balancer or a name server does for clients.
 */
function followGateways(compose, gateways, stopping) {
  return async function refresh({ once = false } = {}) {
    do {
      try {
        const found = await findGateways(compose);
        if (found.length > 0) gateways.splice(0, gateways.length, ...found);
      } catch {
        // A listed container may be removed before it is inspected; the next inspection shows it.
      }
      if (!once) await delay(gatewaysRefreshMs, undefined, { signal: stopping }).catch(() => {});
    } while (!once && !stopping.aborted);
  };
}

/**
 * Starts senders on some accounts and two followers on each.
 *
 * @param {object} compose the system
 * @param {{ email: string, api_key: string }[]} accounts members of the stream
 * @param {string} stream
 */
export async function startTraffic(compose, accounts, stream) {
  const gateways = await findGateways(compose);
  const clients = accounts.map((account) => createClient(gateways, account));
  const stop = new AbortController();
  const refresh = followGateways(compose, gateways, stop.signal);
  const faults = [];
  const acknowledged = [];
  let repeated = 0;

  let turn = 0;
  const nextGateway = (besides) => {
    const others = gateways.filter((gateway) => gateway !== besides);
    return others[turn++ % others.length];
  };

  /**
   * Makes a request, and repeats it once at another gateway if it fails, because the engine accepts connections for a leaving
   * gateway until it is gone. A refusal is not repeated.
   */
  async function call(client, method, path, parameters, headers) {
    const gateway = nextGateway();
    try {
      return await client.request(method, path, parameters, gateway, headers);
    } catch (first) {
      if (first.status < 500) throw first;
      repeated += 1;
      await delay(pauseBeforeRetryMs);
      await refresh({ once: true });
      try {
        return await client.request(method, path, parameters, nextGateway(gateway), headers);
      } catch (second) {
        if (second.status < 500) throw second;
        throw new Error(`${method} ${path} failed twice: ${describe(first)}; ${describe(second)}`, {
          cause: second,
        });
      }
    }
  }

  function repeat(act) {
    return (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        try {
          await act(n);
        } catch (error) {
          faults.push(describe(error));
          return;
        }
        await delay(pauseMs);
      }
    })();
  }

  async function send(client, n) {
    const { body } = await call(
      client,
      'POST',
      'messages',
      { type: 'stream', to: stream, subject: topic, content: `from ${client.account.email}, ${n}` },
      { 'idempotency-key': randomUUID() },
    );
    acknowledged.push(body.id);
  }

  async function openFollower(client) {
    const { body } = await call(client, 'POST', 'register', { event_types: ['message'] });
    const queueId = body.queue_id;
    let lastEventId = body.last_event_id;
    const messageIds = [];
    const following = new AbortController();
    async function poll() {
      const { body: answer } = await call(client, 'GET', 'events', {
        queue_id: queueId,
        last_event_id: lastEventId,
      });
      for (const event of answer.events) {
        if (event.id <= lastEventId)
          throw new Error(`queue ${queueId}: event ${event.id} came after ${lastEventId}`);
        lastEventId = event.id;
        if (event.type === 'message' && event.message.subject === topic)
          messageIds.push(event.message.id);
      }
    }
    const ended = (async () => {
      while (!following.signal.aborted) {
        try {
          await poll();
        } catch (error) {
          faults.push(describe(error));
          return;
        }
      }
    })();
    return { queueId, messageIds, ended, end: () => following.abort() };
  }

  const followers = await Promise.all([...clients, ...clients].map(openFollower));
  const running = [
    refresh(),
    ...clients.map((client) => repeat((n) => send(client, n))),
    repeat(() =>
      call(clients[0], 'GET', 'messages', { anchor: 'newest', num_before: 5, num_after: 0 }),
    ),
    repeat(() => call(clients[0], 'GET', 'users/me/subscriptions')),
    repeat(() => call(clients[0], 'POST', 'users/me/presence', { status: 'active' })),
  ];

  return {
    /** @throws {Error} as soon as a client observed a fault that a retry did not hide */
    checkFaults() {
      assert.deepEqual(faults, []);
    },
    get sent() {
      return acknowledged.length;
    },
    get repeated() {
      return repeated;
    },
    /** Stops sending, waits until every queue has everything, and returns the verdict. */
    async settle() {
      stop.abort();
      await Promise.all(running);
      const expected = acknowledged.toSorted((a, b) => a - b);
      const giveUpAt = Date.now() + settleTimeoutMs;
      while (
        faults.length === 0 &&
        Date.now() < giveUpAt &&
        followers.some(({ messageIds }) => messageIds.length < expected.length)
      )
        await delay(pauseMs);
      // Repeated messages would arrive now.
      for (const follower of followers) follower.end();
      await Promise.all(clients.map((client) => send(client, 'the last')));
      await Promise.all(followers.map(({ ended }) => ended));
      assert.deepEqual(faults, []);
      assert.equal(new Set(expected).size, expected.length, 'ids of acknowledged messages');
      for (const { queueId, messageIds } of followers)
        assert.deepEqual(
          messageIds.slice(0, expected.length),
          expected,
          `messages of queue ${queueId}`,
        );
    },
    /** Stops everything without a verdict. */
    async stop() {
      stop.abort();
      for (const follower of followers) follower.end();
      await Promise.allSettled(running);
    },
  };
}

/** The cause of a failed fetch is only in its `cause`. */
function describe(error) {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
