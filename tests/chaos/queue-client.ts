/** Clients that read event queues in different ways, and continue where they were after any failure of their connections. */
import { request as startRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';

import type { SeededRandom } from '../privacy/seeded-random.ts';
import { attempt, attemptUntilAnswered } from './attempt.ts';
import type { Outcome } from './attempt.ts';
import { QueueRecord, readEvent } from './journal.ts';
import type { Journal, Received } from './journal.ts';

/** How a queue is read. */
export const readingWays = [
  /** Consecutive long polls. */
  'poll',
  /** Long polls with pauses, in which events accumulate. */
  'rest',
  /** Long polls that the client sometimes abandons. */
  'hang-up',
  /** Long polls; sometimes one from an older id, which must return the same events again. */
  'look-back',
  /** Server-Sent Events. */
  'stream',
] as const;

export type ReadingWay = (typeof readingWays)[number];

const eventTypes = [
  'message',
  'subscription',
  'update_message',
  'update_message_flags',
  'reaction',
] as const;

const pollDeadlineMs = 75_000;
const afterFailureMs = 120;
const restMs = 5_000;
const patienceMs = 1_500;
const lookBackEvents = 20;
const lookBackChance = 0.05;
/** A client gives up a stream only after a silence of more than two heartbeats. */
const streamSilenceMs = 120_000;
const registerDeadlineMs = 120_000;

export type QueueClientOptions = {
  readonly journal: Journal;
  readonly client: ApiClient;
  readonly userId: number;
  readonly name: string;
  readonly way: ReadingWay;
  readonly listens: boolean;
  readonly random: SeededRandom;
  /** Called with each message as it arrives. */
  readonly onMessage?: (messageId: number) => void;
};

export class QueueClient {
  readonly record: QueueRecord;
  readonly #options: QueueClientOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  /** Registers a queue and begins to read it. */
  static async open(options: QueueClientOptions): Promise<QueueClient> {
    const { journal, client, listens } = options;
    const answer = await attemptUntilAnswered(
      journal,
      client,
      {
        method: 'POST',
        path: 'register',
        parameters: {
          event_types: eventTypes,
          fetch_event_types: ['subscription'],
          all_public_streams: listens,
        },
      },
      { until: AbortSignal.timeout(registerDeadlineMs) },
    );
    if (answer === undefined || answer.code !== undefined)
      throw new Error(`a queue could not be registered: ${JSON.stringify(answer?.body)}`);
    const subscriptions = readObjects(answer.body, 'subscriptions');
    const queueId = answer.body['queue_id'] as string;
    const record = new QueueRecord(journal.findings, {
      queueId,
      userId: options.userId,
      name: `${options.name} (${options.way}, queue ${queueId})`,
      listens,
      startId: answer.body['last_event_id'] as number,
      initialStreamIds: new Set(subscriptions.map((each) => each['stream_id'] as number)),
    });
    journal.queues.push(record);
    return new QueueClient(options, record);
  }

  private constructor(options: QueueClientOptions, record: QueueRecord) {
    this.#options = options;
    this.record = record;
    this.#ended = options.way === 'stream' ? this.#stream() : this.#poll();
  }

  /** Stops reading; the queue stays. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /** Reads until there are no more events. Only after `stop`. @returns the number of events */
  async drain(until: AbortSignal): Promise<number> {
    let count = 0;
    for (;;) {
      const events = await this.#askFrom(this.record.lastId, until);
      if (events === undefined || events.length === 0) return count;
      for (const event of events) this.record.receive(event);
      count += events.length;
    }
  }

  /** Reads everything since the start of the queue, which must equal what the client got. Only after `drain`. */
  async readAgain(until: AbortSignal): Promise<void> {
    const again: Received[] = [];
    let lastId = this.record.startId;
    while (lastId < this.record.lastId) {
      const events = await this.#askFrom(lastId, until);
      if (events === undefined || events.length === 0) break;
      again.push(...events.map(readEvent));
      lastId = events.at(-1)?.['id'] as number;
    }
    // Newer events are not known yet.
    const known = again.filter(({ id }) => id <= this.record.lastId);
    this.#compare(this.record.received, known, 'from its beginning');
  }

  /** Deletes the queue, and checks that it is gone. Only after `stop`. */
  async delete(until: AbortSignal): Promise<void> {
    const { journal, client } = this.#options;
    const parameters = { queue_id: this.record.queueId };
    this.record.isDeleted = true;
    const request = { method: 'DELETE', path: 'events', parameters } as const;
    const answer = await attemptUntilAnswered(journal, client, request, { until });
    // A retry finds it deleted already.
    if (answer?.code !== undefined && answer.code !== 'BAD_EVENT_QUEUE_ID')
      journal.findings.add('answer', `a queue was not deleted: ${JSON.stringify(answer.body)}`);
    const gone = await attemptUntilAnswered(journal, client, this.#fetchFrom(this.record.lastId), {
      until,
    });
    if (gone !== undefined && gone.code !== 'BAD_EVENT_QUEUE_ID')
      journal.findings.add('answer', `a deleted queue answers: ${JSON.stringify(gone.body)}`);
  }

  #fetchFrom(lastEventId: number) {
    const parameters = {
      queue_id: this.record.queueId,
      last_event_id: lastEventId,
      dont_block: true,
    };
    return { method: 'GET', path: 'events', parameters } as const;
  }

  async #askFrom(
    lastEventId: number,
    until: AbortSignal,
  ): Promise<readonly JsonObject[] | undefined> {
    const { journal, client } = this.#options;
    const answer = await attemptUntilAnswered(journal, client, this.#fetchFrom(lastEventId), {
      until,
    });
    if (answer === undefined) {
      journal.findings.add('lost', `${this.record.name} was not answered in the end`);
      return undefined;
    }
    if (answer.code === undefined) return readObjects(answer.body, 'events');
    this.#refused(answer.body);
    return undefined;
  }

  #refused(body: JsonObject): void {
    if (this.record.isDeleted) return;
    this.#options.journal.findings.add('refused', `${this.record.name}: ${JSON.stringify(body)}`);
  }

  #receive(events: readonly JsonObject[]): void {
    for (const event of events) {
      const received = this.record.receive(event);
      if (received.what === 'message') this.#options.onMessage?.(received.messageId);
    }
  }

  async #poll(): Promise<void> {
    const { way, random } = this.#options;
    while (!this.#stopping.signal.aborted) {
      if (way === 'look-back' && random.chance(lookBackChance)) await this.#lookBack();
      const outcome = await this.#pollOnce();
      if (outcome.kind !== 'answered') {
        if (!this.#stopping.signal.aborted) await pause(afterFailureMs);
      } else if (outcome.code === undefined) {
        this.#receive(readObjects(outcome.body, 'events'));
      } else {
        this.#refused(outcome.body);
        return;
      }
      if (way === 'rest')
        await pause(random.next() * restMs, undefined, { signal: this.#stopping.signal }).catch(
          () => undefined,
        );
    }
  }

  async #pollOnce(): Promise<Outcome> {
    const { journal, client, way, random } = this.#options;
    const signals = [this.#stopping.signal];
    if (way === 'hang-up') signals.push(AbortSignal.timeout(Math.ceil(random.next() * patienceMs)));
    return attempt(
      journal,
      client,
      {
        method: 'GET',
        path: 'events',
        parameters: { queue_id: this.record.queueId, last_event_id: this.record.lastId },
      },
      { signal: AbortSignal.any(signals), deadlineMs: pollDeadlineMs },
    );
  }

  /** Acknowledging is not state: an older id returns the same events again (architecture, Queues). */
  async #lookBack(): Promise<void> {
    const known = this.record.received.slice(-lookBackEvents);
    const first = known[0];
    if (first === undefined) return;
    const { journal, client } = this.#options;
    const outcome = await attempt(journal, client, this.#fetchFrom(first.id - 1), {
      signal: this.#stopping.signal,
    });
    if (outcome.kind !== 'answered') return;
    if (outcome.code !== undefined) {
      this.#refused(outcome.body);
      return;
    }
    const again = readObjects(outcome.body, 'events')
      .map(readEvent)
      .filter(({ id }) => id <= this.record.lastId);
    this.#compare(known, again, `from ${first.id} on`);
  }

  #compare(first: readonly Received[], again: readonly Received[], where: string): void {
    const say = (kind: 'lost' | 'leaked' | 'disordered', text: string): void =>
      this.#options.journal.findings.add(kind, `${this.record.name}, read again ${where}: ${text}`);
    const texts = new Map(again.map(({ id, essence }) => [id, essence]));
    const known = new Map(first.map(({ id, essence }) => [id, essence]));
    const missing = first.filter(({ id }) => !texts.has(id));
    const surplus = again.filter(({ id, type }) => type !== 'heartbeat' && !known.has(id));
    const different = first.filter(({ id, essence }) => (texts.get(id) ?? essence) !== essence);
    if (missing.length > 0) say('lost', `${missing.length} events are missing: ${list(missing)}`);
    if (surplus.length > 0) say('leaked', `${surplus.length} events are new: ${list(surplus)}`);
    if (different.length > 0) say('disordered', `other events stand at: ${list(different)}`);
  }

  async #stream(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if ((await this.#streamOnce()) === 'refused') return;
      } catch (error) {
        if (!this.#stopping.signal.aborted)
          this.#countFailure(String((error as NodeJS.ErrnoException).code ?? error));
      }
      if (!this.#stopping.signal.aborted) await pause(afterFailureMs);
    }
  }

  async #streamOnce(): Promise<'ended' | 'refused'> {
    const response = await this.#openStream();
    if (response.statusCode !== 200) return this.#readRefusal(response);
    let name = '';
    let data = '';
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      // The part after the last line break may be incomplete; an incomplete event is dropped.
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('event:')) name = line.slice('event:'.length).trim();
        else if (line.startsWith('data:')) data += line.slice('data:'.length);
        else if (line === '' && data !== '') {
          const event = JSON.parse(data) as JsonObject;
          if (name === 'error') return this.#endedBy(event);
          this.#receive([event]);
          [name, data] = ['', ''];
        }
      }
    }
    return 'ended';
  }

  /** Like a browser, the client repeats the first address and sends the last id that it received. */
  #openStream(): Promise<IncomingMessage> {
    const { client } = this.#options;
    const base = this.#options.random.pick(client.urls);
    const url = new URL('/api/v1/events/stream', base);
    url.searchParams.set('queue_id', this.record.queueId);
    url.searchParams.set('last_event_id', String(this.record.startId));
    const credentials = Buffer.from(`${client.email}:${client.apiKey}`).toString('base64');
    return new Promise((resolve, reject) => {
      const request = startRequest(url, {
        agent: false,
        signal: this.#stopping.signal,
        timeout: streamSilenceMs,
        headers: {
          accept: 'text/event-stream',
          authorization: `Basic ${credentials}`,
          'user-agent': 'ParleyTest/1.0',
          'last-event-id': String(this.record.lastId),
        },
      });
      request.on('response', resolve);
      request.on('error', reject);
      request.on('timeout', () => request.destroy(new Error('the stream is silent')));
      request.end();
    });
  }

  async #readRefusal(response: IncomingMessage): Promise<'ended' | 'refused'> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return this.#endedBy(JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject);
  }

  #countFailure(reason: string): void {
    this.#options.journal.countFailure('GET events/stream', reason);
  }

  #endedBy(refusal: JsonObject): 'ended' | 'refused' {
    if (refusal['code'] === 'SERVICE_UNAVAILABLE') {
      this.#countFailure('503');
      return 'ended';
    }
    this.#refused(refusal);
    return 'refused';
  }
}

function list(events: readonly Received[]): string {
  const shown = events.slice(0, 5).map(({ id, essence }) => `${id} (${essence})`);
  return shown.join(', ') + (events.length > shown.length ? ', ...' : '');
}
