import { readObjects, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject, TestAccount, TestOrganization } from '@parley/test-kit';

import { Latencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import type { LoadSystem } from '../load-system.ts';
import { makePeople } from '../make-people.ts';

export type SubscribeOptions = {
  /** In one request. */
  readonly people: number;
  /** Queues of people who are not affected by the changes. */
  readonly followers: number;
  /** Subscribers of the stream that single people join and leave. */
  readonly largeStream: number;
};

export type StepResult = {
  readonly step: string;
  readonly secs: number;
  /** Another user's sends during the step. */
  readonly send: LatencySummary;
  /** How long a transaction with no other work waited for the head of the log. */
  readonly head: LatencySummary;
  readonly told_after_secs?: number;
};

const streamsOfOne = 1_700;
const quietMs = 3_000;
const toldDeadlineMs = 120_000;
const probePauseMs = 2;

/** Followers of every event, which count the `peer_*` events and check that ids increase. */
class Followers {
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>[] = [];
  readonly #counts: number[] = [];

  async open(clients: readonly ApiClient[], count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const client = clients[n % clients.length];
      if (client === undefined) throw new Error('there are no accounts');
      this.#counts.push(0);
      const answer = await client.post('register', { fetch_event_types: [] });
      this.#ended.push(this.#follow(client, answer, n));
    }
  }

  async #follow(client: ApiClient, registered: JsonObject, n: number): Promise<void> {
    let lastEventId = registered['last_event_id'] as number;
    const parameters = { queue_id: registered['queue_id'] };
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const answer = await client.get(
          'events',
          { ...parameters, last_event_id: lastEventId },
          { signal },
        );
        for (const event of readObjects(answer, 'events')) {
          const id = event['id'] as number;
          if (id <= lastEventId) throw new Error(`event ${id} came after ${lastEventId}`);
          lastEventId = id;
          if (event['op'] === 'peer_add' || event['op'] === 'peer_remove')
            this.#counts[n] = (this.#counts[n] ?? 0) + 1;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  /** Waits until each follower got this many `peer_*` events since the last call. */
  async waitFor(count: number): Promise<void> {
    await waitUntil(
      `every follower has ${count} events`,
      () => this.#counts.every((has) => has >= count) || undefined,
      { deadlineMs: toldDeadlineMs, describe: () => String(Math.min(...this.#counts)) },
    );
    if (this.#counts.some((has) => has !== count)) throw new Error('an event came twice');
    this.#counts.fill(0);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#ended);
  }
}

/** Takes the head of the log again and again. Postgres measures the wait, so the load of this process does not affect it. */
async function probeHead(
  organization: TestOrganization,
  waits: Latencies,
  isDone: () => boolean,
): Promise<void> {
  const client = await organization.maker.pool.connect();
  try {
    await client.query(`CREATE OR REPLACE FUNCTION pg_temp.head_wait_ms() RETURNS float8 LANGUAGE plpgsql AS $$
      DECLARE started timestamptz := clock_timestamp();
      BEGIN
        PERFORM 1 FROM log_head FOR UPDATE;
        RETURN extract(epoch FROM clock_timestamp() - started) * 1000;
      END $$`);
    while (!isDone()) {
      const { rows } = await client.query<{ ms: number }>('SELECT pg_temp.head_wait_ms() AS ms');
      waits.record(rows[0]?.ms ?? 0);
      await new Promise((resolve) => setTimeout(resolve, probePauseMs));
    }
  } finally {
    client.release();
  }
}

/** Executes a step while another user sends and a probe takes the head of the log again and again. */
async function measure(
  organization: TestOrganization,
  sender: TestAccount,
  step: string,
  work: () => Promise<unknown>,
): Promise<StepResult> {
  const sends = new Latencies();
  const heads = new Latencies();
  let isDone = false;
  const sending = (async () => {
    for (let n = 0; !isDone; n += 1) {
      const startedAt = performance.now();
      await sender.client.sendToStream('others', 'x', `${step} ${n}`);
      sends.recordSince(startedAt);
    }
  })();
  const probing = probeHead(organization, heads, () => isDone);
  const startedAt = performance.now();
  try {
    await work();
  } finally {
    isDone = true;
    await Promise.all([sending, probing]);
  }
  return {
    step,
    secs: secsSince(startedAt),
    send: sends.summarize(),
    head: heads.summarize(),
  };
}

function secsSince(startedAtMs: number): number {
  return Math.round(performance.now() - startedAtMs) / 1_000;
}

const path = 'users/me/subscriptions';
const named = (names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));

/**
 * Measures changes of memberships of many people, of many streams, and in a large stream, each while others send and follow.
 *
 * @throws Error for a system that the generator did not start, or if an event does not arrive, or arrives twice
 */
export async function measureSubscribing(
  system: LoadSystem,
  options: SubscribeOptions,
  report: (result: StepResult | { readonly step: string; readonly secs: number }) => void,
): Promise<void> {
  const { organization } = system;
  if (organization === undefined)
    throw new Error('the subscribe scenario needs a system of its own: leave out --url');
  const admin = await organization.makeAccount('Ada Min', { role: 'administrator' });
  const sender = await organization.makeAccount('Sam Sender');
  await organization.makeStream('others', [sender]);
  const people = await makePeople(organization, options.people, 'of one request');
  const followers = new Followers();
  await followers.open(system.clients, options.followers);
  const during = (step: string, work: () => Promise<unknown>): Promise<StepResult> =>
    measure(organization, sender, step, work);
  const measureWithEvents = async (step: string, events: number, work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    const result = await during(step, work);
    await followers.waitFor(events);
    report({ ...result, told_after_secs: secsSince(startedAt) });
  };
  try {
    report(await during('nothing', () => new Promise((resolve) => setTimeout(resolve, quietMs))));
    await admin.client.post(path, { subscriptions: named(['crowd']) });
    await followers.waitFor(1);
    await measureWithEvents(`subscribe ${people.length} people`, people.length, () =>
      admin.client.post(path, { subscriptions: named(['crowd']), principals: people }),
    );
    await measureWithEvents(`unsubscribe ${people.length} people`, people.length, () =>
      admin.client.delete(path, { subscriptions: ['crowd'], principals: people }),
    );
    const names = Array.from({ length: streamsOfOne }, (_, n) => `one of many ${n}`);
    await measureWithEvents(`create ${names.length} streams`, names.length, () =>
      admin.client.post(path, { subscriptions: named(names) }),
    );
    await measureWithEvents(`leave ${names.length} streams`, names.length, () =>
      admin.client.delete(path, { subscriptions: names }),
    );
    await measureLargeStream(organization, admin, options.largeStream, async (step, work) =>
      report(await during(step, work)),
    );
  } finally {
    await followers.stop();
  }
}

async function measureLargeStream(
  organization: TestOrganization,
  admin: TestAccount,
  subscribers: number,
  step: (name: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const stream = await organization.makeStream('large', [admin]);
  await organization.maker.subscribe(
    stream.id,
    await makePeople(organization, subscribers, 'of the large stream'),
  );
  const joiner = await organization.makeAccount('Jo Iner');
  const queue = await joiner.client.post('register', { fetch_event_types: [] });
  const of = `of ${subscribers}`;
  await step(`list members ${of}`, () => joiner.client.get(`streams/${stream.id}/members`));
  await step(`join a stream ${of}`, () =>
    joiner.client.post(path, { subscriptions: named(['large']) }),
  );
  await step(`hear of joining a stream ${of}`, () =>
    joiner.client.get('events', {
      queue_id: queue['queue_id'],
      last_event_id: queue['last_event_id'],
      dont_block: true,
    }),
  );
  await step(`register with subscribers ${of}`, () =>
    joiner.client.post('register', {
      include_subscribers: true,
      fetch_event_types: ['subscription'],
    }),
  );
  await step(`list subscriptions with subscribers ${of}`, () =>
    joiner.client.get(path, { include_subscribers: true }),
  );
  await step(`write to a stream ${of}`, () => joiner.client.sendToStream('large', 'x', 'x'));
  await step(`leave a stream ${of}`, () =>
    joiner.client.delete(path, { subscriptions: ['large'] }),
  );
  await step(`end a stream ${of}`, () => admin.client.delete(`streams/${stream.id}`));
}
