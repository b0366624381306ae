import { request as sendRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';

/** One message of a stream, by its field names. */
export type StreamMessage = Readonly<Partial<Record<'id' | 'event' | 'data' | 'retry', string>>>;

export type StreamQuery = {
  readonly queueId?: string;
  readonly lastEventId?: number | string;
  readonly header?: string;
  /** The index of the gateway in the client's list. */
  readonly gateway?: number;
};

function parseMessage(text: string): StreamMessage {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  ) as StreamMessage;
}

/** Reads a stream of events as bytes, to check what an `EventSource` does not show. */
export class EventStreamReader {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly messages: StreamMessage[] = [];
  /** The text after the last complete message. */
  rest = '';
  /** Set when the answer has ended: whether it was complete. */
  end: { readonly isComplete: boolean } | undefined;
  readonly #answer: IncomingMessage;
  readonly #close: () => void;

  static open(client: ApiClient, query: StreamQuery): Promise<EventStreamReader> {
    const url = new URL('/api/v1/events/stream', client.urls[query.gateway ?? 0]);
    if (query.queueId !== undefined) url.searchParams.set('queue_id', query.queueId);
    if (query.lastEventId !== undefined)
      url.searchParams.set('last_event_id', String(query.lastEventId));
    return new Promise((resolve, reject) => {
      const sent = sendRequest(url, {
        agent: false,
        headers: {
          ...client.credentials,
          ...(query.header === undefined ? {} : { 'last-event-id': query.header }),
        },
      });
      sent.on('error', reject);
      sent.on('response', (answer) => resolve(new EventStreamReader(answer, () => sent.destroy())));
      sent.end();
    });
  }

  private constructor(answer: IncomingMessage, close: () => void) {
    this.#answer = answer;
    this.#close = close;
    this.headers = answer.headers;
    this.status = answer.statusCode ?? 0;
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      const parts = (this.rest + text).split('\n\n');
      this.rest = parts.pop() ?? '';
      this.messages.push(...parts.map(parseMessage));
    });
    answer.on('error', () => undefined);
    answer.on('close', () => {
      this.end = { isComplete: answer.complete };
    });
  }

  /** The events so far, without errors. */
  get events(): JsonObject[] {
    return this.messages.flatMap(({ event, data }) =>
      event === undefined && data !== undefined ? [JSON.parse(data) as JsonObject] : [],
    );
  }

  /** The events so far, without heartbeats. */
  get news(): JsonObject[] {
    return this.events.filter(({ type }) => type !== 'heartbeat');
  }

  /** The refusals that arrived as events. */
  get errors(): JsonObject[] {
    return this.messages.flatMap(({ event, data }) =>
      event === 'error' ? [JSON.parse(data ?? '') as JsonObject] : [],
    );
  }

  get lastId(): number | undefined {
    return this.events.at(-1)?.['id'] as number | undefined;
  }

  async waitForNews(count: number): Promise<JsonObject[]> {
    await waitUntil(`the stream has brought ${count} events`, () => this.news.length >= count);
    return this.news;
  }

  async waitForEnd(): Promise<{ readonly isComplete: boolean }> {
    return waitUntil('the stream has ended', () => this.end);
  }

  /** Stops reading. */
  pause(): void {
    this.#answer.pause();
  }

  resume(): void {
    this.#answer.resume();
  }

  close(): void {
    this.#close();
  }
}
