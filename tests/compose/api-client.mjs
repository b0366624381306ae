// A caller of Parley's HTTP interface that uses any of several gateways, and a reader that records the messages of one event queue.

import { setTimeout as delay } from 'node:timers/promises';

// A held poll is answered within 55 s; the rest is for slow machines.
const requestTimeoutMs = 75_000;

// The answer to a caller above its rate limit says how long to wait, at most a minute.
const rateLimitedTriesMax = 3;

/** A refusal by the server, with its HTTP status and its `code`. */
export class RefusedRequest extends Error {
  constructor(method, path, status, body) {
    super(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.code = body?.code;
  }
}

/**
 * @param {string[]} gateways base addresses, which requests use in turn
 * @param {{ email: string, api_key: string } | undefined} account none for requests without credentials
 */
export function createClient(gateways, account) {
  const headers = account
    ? {
        authorization: `Basic ${Buffer.from(`${account.email}:${account.api_key}`).toString('base64')}`,
      }
    : {};
  let turn = 0;

  /**
   * @param {string} method
   * @param {string} path below /api/v1
   * @param {Record<string, unknown>} [parameters] values that are not strings are sent as JSON
   * @param {string} [gateway] one gateway instead of the next
   * @param {Record<string, string>} [moreHeaders]
   * @returns {Promise<{ body: any, headers: Headers }>}
   * @throws {RefusedRequest} for every answer except success
   */
  async function request(
    method,
    path,
    parameters = {},
    gateway = gateways[turn++ % gateways.length],
    moreHeaders = {},
  ) {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    const url = new URL(`/api/v1/${path}`, gateway);
    if (method === 'GET') url.search = form.toString();
    for (let tries = 1; ; tries++) {
      const response = await fetch(url, {
        method,
        headers: { ...headers, ...moreHeaders },
        signal: AbortSignal.timeout(requestTimeoutMs),
        ...(method === 'GET' ? {} : { body: form }),
      });
      const text = await response.text();
      const body = text.startsWith('{') ? JSON.parse(text) : text;
      if (response.ok && body.result === 'success') return { body, headers: response.headers };
      if (response.status !== 429 || tries === rateLimitedTriesMax) {
        throw new RefusedRequest(method, path, response.status, body);
      }
      await delay(Number(response.headers.get('retry-after')) * 1_000);
    }
  }

  return { account, request };
}

/**
 * Registers an event queue for messages, and records those of one topic, because a job sends notices of new streams and accounts at
 * no fixed time.
 *
 * @param {ReturnType<typeof createClient>} client
 * @param {string} topic
 */
export async function openQueue(client, topic) {
  const { body } = await client.request('POST', 'register', { event_types: ['message'] });
  return readQueue(client, topic, body.queue_id, body.last_event_id, []);
}

/** @param {number[]} messageIds ids of the topic's messages in the order of the queue */
function readQueue(client, topic, queueId, startEventId, messageIds) {
  let lastEventId = startEventId;

  async function poll(dontBlock) {
    const { body, headers } = await client.request('GET', 'events', {
      queue_id: queueId,
      last_event_id: lastEventId,
      dont_block: dontBlock,
    });
    for (const event of body.events) {
      if (event.id <= lastEventId) {
        throw new Error(`queue ${queueId}: event ${event.id} came after ${lastEventId}`);
      }
      lastEventId = event.id;
      if (event.type === 'message' && event.message.subject === topic)
        messageIds.push(event.message.id);
    }
    return headers.get('x-parley-node');
  }

  return {
    queueId,
    messageIds,
    /** Reads the present events without waiting, and returns the node that answered. */
    findNode: () => poll(true),
    /**
     * Polls until the queue has returned `count` messages in all, and once more for unexpected ones.
     *
     * @param {number} count
     * @param {{ failuresMax?: number, deadlineMs: number }} options how many consecutive polls may fail
     */
    async readMessages(count, { failuresMax = 0, deadlineMs }) {
      const giveUpAt = Date.now() + deadlineMs;
      let failures = 0;
      while (messageIds.length < count) {
        if (Date.now() > giveUpAt) {
          throw new Error(
            `queue ${queueId} gave ${messageIds.length} of ${count} messages in ${deadlineMs} ms`,
          );
        }
        try {
          await poll(false);
          failures = 0;
        } catch (error) {
          failures += 1;
          if (failures > failuresMax || error.status === 400) throw error;
        }
      }
      await poll(true);
    },
    /** The same queue in another client, from the current position. */
    goOn: (other) => readQueue(other, topic, queueId, lastEventId, [...messageIds]),
    close: () => client.request('DELETE', 'events', { queue_id: queueId }),
  };
}
