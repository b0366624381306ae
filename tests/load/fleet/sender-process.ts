/** A process of senders, started by `Senders`: it sends according to a plan, and reports how long each send took. */
import { serveGenerator } from '../generator-process.ts';
import { Latencies } from '../latencies.ts';
import { HttpConnection } from './http-connection.ts';
import { pace, waitUntilMs } from './pacing.ts';
import { describeDue, isWithin, nowMs } from './protocol.ts';
import type { SendOutcome, SendPlan } from './sending.ts';

class Sending {
  readonly #plan: SendPlan;
  readonly #latencies = new Latencies();
  readonly #lateness = new Latencies();
  readonly #ids = new Set<string>();
  #sent = 0;
  #sentInWindow = 0;
  #longestSilenceMs = 0;
  #lastAcknowledgedAtMs = 0;
  #slowest = { tookMs: 0, dueAtMs: 0 };
  #fault: Error | undefined;

  constructor(plan: SendPlan) {
    this.#plan = plan;
  }

  async run(): Promise<SendOutcome> {
    const { connections, ratePerSecond } = this.#plan;
    const clients = Array.from({ length: connections }, (_, n) => this.#connect(n));
    await waitUntilMs(this.#plan.beginAtMs);
    if (ratePerSecond === null) await Promise.all(clients.map((client) => this.#repeat(client)));
    else
      await pace(
        { ...this.#plan, ratePerSecond, isOver: () => this.#isOver },
        clients,
        (client, dueAtMs) => this.#send(client, dueAtMs),
      );
    for (const { connection } of clients) connection.abort();
    if (this.#fault !== undefined) throw this.#fault;
    return {
      sent: this.#sent,
      sentInWindow: this.#sentInWindow,
      latencies: this.#latencies.encode(),
      lateness: this.#lateness.encode(),
      longestSilenceMs: this.#longestSilenceMs,
      lastAcknowledgedAtMs: this.#lastAcknowledgedAtMs,
      slowest: this.#slowest,
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
        const tookMs = at - dueAtMs;
        this.#latencies.record(tookMs);
        if (tookMs > this.#slowest.tookMs) this.#slowest = { tookMs, dueAtMs };
        this.#lateness.record(leftAtMs - dueAtMs);
      }
    } catch (error) {
      this.#fault ??= error as Error;
    }
  }
}

type Client = { readonly connection: HttpConnection; readonly head: string };

serveGenerator((plan: SendPlan) => new Sending(plan).run());
