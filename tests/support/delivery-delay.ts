import { setTimeout as delay } from 'node:timers/promises';

import { readObjects } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';

const sendPauseMs = 25;
const pauseAfterFailureMs = 100;

/**
 * Measures the time from a message's send to the poll of a waiting queue, by phases of a test. Whether messages arrive is checked
 * elsewhere.
 */
export class DeliveryDelay {
  readonly #account: TestAccount;
  readonly #stopping = new AbortController();
  readonly #sentAtMs = new Map<string, { readonly phase: string; readonly atMs: number }>();
  readonly #delaysMs = new Map<string, number[]>();
  readonly #running: Promise<unknown>;
  #phase: string;

  /** @param account one to which nobody else sends */
  static async open(account: TestAccount, phase: string): Promise<DeliveryDelay> {
    const registered = await account.client.post('register', { event_types: ['message'] });
    return new DeliveryDelay(
      account,
      phase,
      String(registered['queue_id']),
      Number(registered['last_event_id']),
    );
  }

  private constructor(account: TestAccount, phase: string, queueId: string, lastEventId: number) {
    this.#account = account;
    this.#phase = phase;
    this.#running = Promise.all([this.#send(), this.#follow(queueId, lastEventId)]);
  }

  /** Later sends belong to another phase. */
  begin(phase: string): void {
    this.#phase = phase;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  describe(): string {
    return [...this.#delaysMs]
      .map(([phase, delays]) => {
        const sorted = delays.toSorted((one, other) => one - other);
        const at = (share: number): number =>
          Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
        return `${phase}: ${sorted.length} messages, half within ${at(0.5)} ms, 95 % within ${at(0.95)} ms, all within ${at(1)} ms`;
      })
      .join('; ');
  }

  async #send(): Promise<void> {
    for (let number = 0; !this.#stopping.signal.aborted; number += 1) {
      const content = `delay ${number}`;
      this.#sentAtMs.set(content, { phase: this.#phase, atMs: performance.now() });
      await this.#account.client
        .sendPrivately([this.#account.email], content)
        .catch(() => undefined);
      await delay(sendPauseMs);
    }
  }

  async #follow(queueId: string, registeredAt: number): Promise<void> {
    let lastEventId = registeredAt;
    while (!this.#stopping.signal.aborted) {
      try {
        const { body } = await this.#account.client.request(
          'GET',
          'events',
          { queue_id: queueId, last_event_id: lastEventId },
          { signal: this.#stopping.signal },
        );
        const receivedAtMs = performance.now();
        for (const event of readObjects(body, 'events')) {
          lastEventId = Number(event['id']);
          const { content } = (event['message'] ?? {}) as { readonly content?: string };
          this.#take(content ?? '', receivedAtMs);
        }
      } catch {
        await delay(pauseAfterFailureMs);
      }
    }
  }

  #take(content: string, receivedAtMs: number): void {
    // In rendered content the text is in a paragraph.
    const sent = this.#sentAtMs.get(/delay \d+/.exec(content)?.[0] ?? '');
    if (sent === undefined) return;
    const delays = this.#delaysMs.get(sent.phase) ?? [];
    delays.push(receivedAtMs - sent.atMs);
    this.#delaysMs.set(sent.phase, delays);
  }
}
