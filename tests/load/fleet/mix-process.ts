/** A process of clients, started by `Mixed`, that make all kinds of requests, at a fixed rate or as fast as they are answered. */
import { serveGenerator } from '../generator-process.ts';
import { Latencies } from '../latencies.ts';
import { writePost } from '../requests.ts';
import { HttpConnection } from './http-connection.ts';
import type { WireAnswer } from './http-connection.ts';
import type { MixOutcome, MixPlan, MixedKind } from './mixing.ts';
import { pace, waitUntilMs } from './pacing.ts';
import { describeDue, isWithin, nowMs } from './protocol.ts';

const compressedPerLook = 50;

/** Where the requests of a kind continue in the next run: each changes something only once per cycle through all of them. */
const requestsBefore = new Map<string, number>();

/** A kind with its requests so far. */
class KindInProgress {
  readonly kind: MixedKind;
  readonly latencies = new Latencies();
  readonly #before: number;
  count = 0;
  answeredInWindow = 0;
  /** How far this kind lags behind its share. */
  debt = 0;

  constructor(kind: MixedKind) {
    this.kind = kind;
    this.#before = requestsBefore.get(kind.name) ?? 0;
  }

  next(url: string, dueAtMs: number): string {
    const n = this.count++;
    const { kind } = this;
    const turn = this.#before + n;
    requestsBefore.set(kind.name, turn + 1);
    if ('requests' in kind) return kind.requests[turn % kind.requests.length] ?? '';
    const to = kind.sends[turn % kind.sends.length];
    if (to === undefined) throw new Error('nobody sends');
    return writePost(url, '/api/v1/messages', to.sender, {
      type: 'stream',
      to: to.streamName,
      topic: to.topic,
      content: describeDue(kind.firstMessage + n, dueAtMs),
    });
  }
}

class Mixing {
  readonly #plan: MixPlan;
  readonly #kinds: readonly KindInProgress[];
  readonly #weights: number;
  readonly #lateness = new Latencies();
  #answeredInWindow = 0;
  #compressed = 0;
  #fault: Error | undefined;

  constructor(plan: MixPlan) {
    this.#plan = plan;
    this.#kinds = plan.kinds.map((kind) => new KindInProgress(kind));
    this.#weights = plan.kinds.reduce((sum, { weight }) => sum + weight, 0);
  }

  async run(): Promise<MixOutcome> {
    const { urls, connections, ratePerSecond, beginAtMs, endAtMs } = this.#plan;
    const clients = Array.from({ length: connections }, (_, n) => {
      const url = urls[n % urls.length] ?? '';
      return { url, connection: new HttpConnection(url) };
    });
    await waitUntilMs(beginAtMs);
    const isOver = (): boolean => this.#fault !== undefined;
    if (ratePerSecond === null)
      await Promise.all(
        clients.map(async (client) => {
          for (let now = nowMs(); now < endAtMs && !isOver(); now = nowMs())
            await this.#ask(client, now);
        }),
      );
    else
      await pace({ ratePerSecond, beginAtMs, endAtMs, isOver }, clients, (client, dueAtMs) =>
        this.#ask(client, dueAtMs),
      );
    for (const { connection } of clients) connection.abort();
    if (this.#fault !== undefined) throw this.#fault;
    return {
      sent: this.#kinds.reduce((sum, { kind, count }) => sum + ('sends' in kind ? count : 0), 0),
      answeredInWindow: this.#answeredInWindow,
      lateness: this.#lateness.encode(),
      kinds: this.#kinds.map(({ kind, answeredInWindow, latencies }) => ({
        name: kind.name,
        answeredInWindow,
        latencies: latencies.encode(),
      })),
    };
  }

  /** Kinds alternate as evenly as their weights allow: the next is always the one that lags most. */
  #choose(): KindInProgress {
    let chosen: KindInProgress | undefined;
    for (const candidate of this.#kinds) {
      candidate.debt += candidate.kind.weight;
      if (chosen === undefined || candidate.debt > chosen.debt) chosen = candidate;
    }
    if (chosen === undefined) throw new Error('a mix of nothing');
    chosen.debt -= this.#weights;
    return chosen;
  }

  /** Clients decompress with their own processor; here that would take time from the server. */
  #looksInto({ isCompressed }: WireAnswer): boolean {
    if (!isCompressed) return true;
    this.#compressed += 1;
    return this.#compressed % compressedPerLook === 1;
  }

  async #ask(client: Client, dueAtMs: number): Promise<void> {
    const { window } = this.#plan;
    const chosen = this.#choose();
    const { kind } = chosen;
    const expected = 'requests' in kind ? kind.expected : '"id":';
    try {
      const request = chosen.next(client.url, dueAtMs);
      const leftAtMs = nowMs();
      const answer = await client.connection.request(request);
      const atMs = nowMs();
      if (answer.status !== 200 || (this.#looksInto(answer) && !answer.body.includes(expected)))
        throw new Error(
          `${request.split('\r\n')[0]}: ${answer.status} ${answer.body.slice(0, 300)}`,
        );
      if (isWithin(window, atMs)) {
        this.#answeredInWindow += 1;
        chosen.answeredInWindow += 1;
      }
      if (isWithin(window, dueAtMs)) {
        chosen.latencies.record(atMs - dueAtMs);
        this.#lateness.record(leftAtMs - dueAtMs);
      }
    } catch (error) {
      this.#fault ??= error as Error;
    }
  }
}

type Client = { readonly url: string; readonly connection: HttpConnection };

serveGenerator((plan: MixPlan) => new Mixing(plan).run());
