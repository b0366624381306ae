/** A process of senders, started by `Senders`: it sends after a plan, and says how long each send took. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import { serveGenerator } from '../generator-process.ts';
import { Latencies } from '../latencies.ts';
import { HttpConnection } from './http-connection.ts';
import { describeDue, isWithin, nowMs } from './protocol.ts';
import type { SendOutcome, SendPlan } from './sending.ts';

// A timer may be a millisecond late, which would count as the server's time: the rest is waited for turn by turn.
const timerSlackMs = 1.5;

class Sending {
  readonly #plan: SendPlan;
  readonly #latencies = new Latencies();
  readonly #lateness = new Latencies();
  readonly #ids = new Set<string>();
  #sent = 0;
  #sentInWindow = 0;
  #longestSilenceMs = 0;
  #lastAcknowledgedAtMs = 0;
  #fault: Error | undefined;

  constructor(plan: SendPlan) {
    this.#plan = plan;
  }

  async run(): Promise<SendOutcome> {
    const { connections, ratePerSecond } = this.#plan;
    const clients = Array.from({ length: connections }, (_, n) => this.#connect(n));
    await waitUntilMs(this.#plan.beginAtMs);
    if (ratePerSecond === null) await Promise.all(clients.map((client) => this.#repeat(client)));
    else await this.#pace(clients, ratePerSecond);
    for (const { connection } of clients) connection.abort();
    if (this.#fault !== undefined) throw this.#fault;
    return {
      sent: this.#sent,
      sentInWindow: this.#sentInWindow,
      latencies: this.#latencies.encode(),
      lateness: this.#lateness.encode(),
      longestSilenceMs: this.#longestSilenceMs,
      lastAcknowledgedAtMs: this.#lastAcknowledgedAtMs,
    };
  }

  #connect(n: number): Client {
    const { urls, accounts } = this.#plan;
    const url = urls[n % urls.length] ?? '';
    const account = accounts[n % accounts.length];
    if (account === undefined) throw new Error('there are no accounts');
    const credentials = Buffer.from(`${account.email}:${account.apiKey}`).toString('base64');
    return {
      connection: new HttpConnection(url),
      head: `POST /api/v1/messages HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Basic ${credentials}\r\nUser-Agent: ParleyLoad/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\n`,
    };
  }

  get #isOver(): boolean {
    return this.#fault !== undefined || this.#sent >= this.#plan.sendsMax;
  }

  async #repeat(client: Client): Promise<void> {
    while (!this.#isOver) {
      const now = nowMs();
      if (now >= this.#plan.endAtMs) return;
      await this.#send(client, now);
    }
  }

  async #pace(clients: readonly Client[], ratePerSecond: number): Promise<void> {
    const free = [...clients];
    const waitingForFree: (() => void)[] = [];
    const running = new Set<Promise<void>>();
    for (let n = 0; !this.#isOver; n += 1) {
      const dueAtMs = this.#plan.beginAtMs + (n * 1_000) / ratePerSecond;
      if (dueAtMs >= this.#plan.endAtMs) break;
      await waitUntilMs(dueAtMs);
      if (free.length === 0) await new Promise<void>((resolve) => waitingForFree.push(resolve));
      const client = free.pop();
      if (client === undefined) continue;
      const sending = this.#send(client, dueAtMs).finally(() => {
        running.delete(sending);
        free.push(client);
        waitingForFree.shift()?.();
      });
      running.add(sending);
    }
    await Promise.all(running);
  }

  async #send({ connection, head }: Client, dueAtMs: number): Promise<void> {
    const { window, destinations, firstMessage, step } = this.#plan;
    const number = firstMessage + this.#sent * step;
    const destination = destinations[this.#sent % destinations.length];
    this.#sent += 1;
    const body = `type=stream&to=${encodeURIComponent(destination?.streamName ?? '')}&topic=${encodeURIComponent(destination?.topic ?? '')}&content=${encodeURIComponent(describeDue(number, dueAtMs))}`;
    const leftAtMs = nowMs();
    try {
      const answer = await connection.request(
        `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      const at = nowMs();
      const id = /"id":(\d+)/.exec(answer.body)?.[1];
      if (answer.status !== 200 || id === undefined)
        throw new Error(`message ${number}: ${answer.status} ${answer.body.slice(0, 300)}`);
      if (this.#ids.has(id)) throw new Error(`message ${number} has the id ${id} of another`);
      this.#ids.add(id);
      if (isWithin(window, at)) {
        this.#sentInWindow += 1;
        const since = Math.max(this.#lastAcknowledgedAtMs, window.fromMs);
        this.#longestSilenceMs = Math.max(this.#longestSilenceMs, at - since);
      }
      this.#lastAcknowledgedAtMs = at;
      if (isWithin(window, dueAtMs)) {
        this.#latencies.record(at - dueAtMs);
        this.#lateness.record(leftAtMs - dueAtMs);
      }
    } catch (error) {
      this.#fault ??= error as Error;
    }
  }
}

type Client = { readonly connection: HttpConnection; readonly head: string };

async function waitUntilMs(atMs: number): Promise<void> {
  const early = atMs - nowMs() - timerSlackMs;
  if (early > 0) await pause(early);
  while (nowMs() < atMs) await nextTurn();
}

serveGenerator((plan: SendPlan) => new Sending(plan).run());
