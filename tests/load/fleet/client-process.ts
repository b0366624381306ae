/** A process of clients that make all kinds of requests, at a fixed rate or each as soon as the one before is answered. */
import { serveGenerator } from '../generator-process.ts';
import { Latencies } from '../latencies.ts';
import { writePost } from '../requests.ts';
import type { ClientOutcome, ClientPlan, RequestKind } from './clients.ts';
import { HttpConnection } from './http-connection.ts';
import type { WireAnswer } from './http-connection.ts';
import { pace, waitUntilMs } from './pacing.ts';
import { describeDue, isWithin, nowMs } from './protocol.ts';

const compressedPerLook = 50;

/** Where the requests of a kind continue in the next run: each changes something only once per cycle through all of them. */
const requestsBefore = new Map<string, number>();

/** A kind with its requests so far. */
class KindInProgress {
  readonly kind: RequestKind;
  readonly latencies = new Latencies();
  readonly #ids = new Set<string>();
  #compressed = 0;
  count = 0;
  answeredInWindow = 0;
  bodyBytes = 0;
  /** How far this kind lags behind its share. */
  debt = 0;

  constructor(kind: RequestKind) {
    this.kind = kind;
  }

  next(url: string, dueAtMs: number): string {
    const { kind } = this;
    const turn = requestsBefore.get(kind.name) ?? 0;
    requestsBefore.set(kind.name, turn + 1);
    const n = this.count++;
    if ('requests' in kind) return kind.requests[turn % kind.requests.length] ?? '';
    const to = kind.sends[turn % kind.sends.length];
    if (to === undefined) throw new Error('nobody sends');
    return writePost(url, '/api/v1/messages', to.sender, {
      type: 'stream',
      to: to.streamName,
      topic: to.topic,
      content: describeDue(kind.firstMessage + n * kind.step, dueAtMs),
    });
  }

  /** @throws Error if the answer is not as it has to be */
  check(request: string, answer: WireAnswer): void {
    this.bodyBytes += answer.bodyBytes;
    const { kind } = this;
    if (answer.status !== 200 || (this.#looksInto(answer) && !this.#isExpected(answer.body, kind)))
      throw new Error(`${request.split('\r\n')[0]}: ${answer.status} ${answer.body.slice(0, 300)}`);
  }

  #isExpected(body: string, kind: RequestKind): boolean {
    if ('requests' in kind) return body.includes(kind.expected);
    const id = /"id":(\d+)/.exec(body)?.[1];
    if (id === undefined || this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }

  /** Clients decompress with their own processor; here that would take time from the server. */
  #looksInto({ isCompressed }: WireAnswer): boolean {
    return !isCompressed || this.#compressed++ % compressedPerLook === 0;
  }
}

class Clients {
  readonly #plan: ClientPlan;
  readonly #kinds: readonly KindInProgress[];
  readonly #weights: number;
  readonly #lateness = new Latencies();
  #made = 0;
  #lastAnswerAtMs = 0;
  #longestSilenceMs = 0;
  #slowest = { tookMs: 0, dueAtMs: 0 };
  #fault: Error | undefined;

  constructor(plan: ClientPlan) {
    this.#plan = plan;
    this.#kinds = plan.kinds.map((kind) => new KindInProgress(kind));
    this.#weights = plan.kinds.reduce((sum, { weight }) => sum + weight, 0);
  }

  async run(): Promise<ClientOutcome> {
    const { urls, connections, ratePerSecond, beginAtMs, endAtMs } = this.#plan;
    const clients = Array.from({ length: connections }, (_, n) => {
      const url = urls[n % urls.length] ?? '';
      return { url, connection: new HttpConnection(url) };
    });
    await waitUntilMs(beginAtMs);
    const isOver = (): boolean => this.#isOver;
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
      kinds: this.#kinds.map(({ kind, count, answeredInWindow, bodyBytes, latencies }) => ({
        name: kind.name,
        count,
        answeredInWindow,
        bodyBytes,
        latencies: latencies.encode(),
      })),
      lateness: this.#lateness.encode(),
      longestSilenceMs: this.#longestSilenceMs,
      slowest: this.#slowest,
    };
  }

  get #isOver(): boolean {
    return this.#fault !== undefined || this.#made >= (this.#plan.requestsMax ?? Infinity);
  }

  /** Kinds alternate as evenly as their weights allow: the next is always the one that lags most. */
  #choose(): KindInProgress {
    let chosen: KindInProgress | undefined;
    for (const candidate of this.#kinds) {
      candidate.debt += candidate.kind.weight;
      if (chosen === undefined || candidate.debt > chosen.debt) chosen = candidate;
    }
    if (chosen === undefined) throw new Error('there is nothing to request');
    chosen.debt -= this.#weights;
    return chosen;
  }

  async #ask(client: Client, dueAtMs: number): Promise<void> {
    const { window } = this.#plan;
    this.#made += 1;
    const chosen = this.#choose();
    try {
      const request = chosen.next(client.url, dueAtMs);
      const leftAtMs = nowMs();
      const answer = await client.connection.request(request);
      const atMs = nowMs();
      chosen.check(request, answer);
      if (isWithin(window, atMs)) {
        chosen.answeredInWindow += 1;
        const since = Math.max(this.#lastAnswerAtMs, window.fromMs);
        this.#longestSilenceMs = Math.max(this.#longestSilenceMs, atMs - since);
      }
      this.#lastAnswerAtMs = atMs;
      if (isWithin(window, dueAtMs)) {
        const tookMs = atMs - dueAtMs;
        chosen.latencies.record(tookMs);
        this.#lateness.record(leftAtMs - dueAtMs);
        if (tookMs > this.#slowest.tookMs) this.#slowest = { tookMs, dueAtMs };
      }
    } catch (error) {
      this.#fault ??= error as Error;
    }
  }
}

type Client = { readonly url: string; readonly connection: HttpConnection };

serveGenerator((plan: ClientPlan) => new Clients(plan).run());
