import { setTimeout as pause } from 'node:timers/promises';

import { HttpConnection } from '../fleet/http-connection.ts';
import { isWithin, nowMs } from '../fleet/protocol.ts';
import type { FleetAccount, Window } from '../fleet/protocol.ts';
import { Latencies } from '../latencies.ts';
import type { LoadSystem } from '../load-system.ts';
import { writeGet, writePost } from '../requests.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';

// The pause between two notices is longer than notices are batched, and by then the reader's next poll is held.
const betweenMs = 250;

/** Somebody types now and then to one reader on long poll. */
export const typingScenario: MeasuredScenario = {
  name: 'typing',
  summary: 'a notice of typing to one reader on long poll',
  secs: 20,
  groups: (system) => [{ name: 'typing', open: (rig) => openTyping(system, rig) }],
};

async function openTyping(system: LoadSystem, rig: Rig): Promise<readonly Case[]> {
  const [sender, reader] = system.accounts;
  if (sender === undefined || reader === undefined) throw new Error('typing needs two accounts');
  const url = system.urls[0] ?? '';
  const typist = new HttpConnection(url);
  rig.defer(() => typist.abort());
  const queue = await TypingQueue.open(url, reader);
  rig.defer(() => queue.close());
  const tell = async (window: Window, latencies: Latencies): Promise<void> => {
    const received = queue.next();
    await pause(betweenMs);
    const leftAtMs = nowMs();
    const parameters = { op: 'start', to: JSON.stringify([reader.email]) };
    const answer = await typist.request(writePost(url, '/api/v1/typing', sender, parameters));
    if (answer.status !== 200) throw new Error(`typing: ${answer.status} ${answer.body}`);
    const receivedAtMs = await received;
    if (isWithin(window, leftAtMs)) latencies.record(receivedAtMs - leftAtMs);
  };
  return [
    {
      name: '1 reader',
      run: async () => {
        const window = rig.planWindow();
        const latencies = new Latencies();
        const tellUntilTheEnd = async (): Promise<void> => {
          while (nowMs() < window.toMs) await tell(window, latencies);
        };
        const [measured] = await Promise.all([rig.measureWindow(window), tellUntilTheEnd()]);
        return {
          operation: 'notice',
          operations: latencies.count,
          measured,
          figures: {},
          latencies: { typing_to_receive: latencies },
        };
      },
    },
  ];
}

/** The reader's queue, of typing events only. */
class TypingQueue {
  readonly #url: string;
  readonly #reader: FleetAccount;
  readonly #connection: HttpConnection;
  readonly #queueId: string;
  #lastEventId: number;

  static async open(url: string, reader: FleetAccount): Promise<TypingQueue> {
    const connection = new HttpConnection(url);
    const parameters = { event_types: '["typing"]', fetch_event_types: '[]' };
    const answer = await connection.request(writePost(url, '/api/v1/register', reader, parameters));
    const registered = JSON.parse(answer.body) as {
      readonly queue_id?: string;
      readonly last_event_id?: number;
    };
    const { queue_id: queueId, last_event_id: lastEventId } = registered;
    if (queueId === undefined || lastEventId === undefined)
      throw new Error(`the reader was refused: ${answer.status} ${answer.body}`);
    return new TypingQueue({ url, reader, connection, queueId, lastEventId });
  }

  private constructor(parts: {
    readonly url: string;
    readonly reader: FleetAccount;
    readonly connection: HttpConnection;
    readonly queueId: string;
    readonly lastEventId: number;
  }) {
    this.#url = parts.url;
    this.#reader = parts.reader;
    this.#connection = parts.connection;
    this.#queueId = parts.queueId;
    this.#lastEventId = parts.lastEventId;
  }

  /**
   * Polls until a notice arrives.
   *
   * @returns when it arrived
   * @throws Error if a poll is refused, or more than one notice arrives
   */
  async next(): Promise<number> {
    for (;;) {
      const path = `/api/v1/events?queue_id=${this.#queueId}&last_event_id=${this.#lastEventId}`;
      const { status, body } = await this.#connection.request(
        writeGet(this.#url, path, this.#reader),
      );
      const receivedAtMs = nowMs();
      if (status !== 200) throw new Error(`a poll: ${status} ${body}`);
      const { events } = JSON.parse(body) as {
        readonly events: readonly { readonly id: number; readonly type: string }[];
      };
      this.#lastEventId = events.at(-1)?.id ?? this.#lastEventId;
      const notices = events.filter(({ type }) => type === 'typing').length;
      if (notices > 1) throw new Error(`${notices} notices arrived instead of one`);
      if (notices === 1) return receivedAtMs;
    }
  }

  close(): void {
    this.#connection.abort();
  }
}
