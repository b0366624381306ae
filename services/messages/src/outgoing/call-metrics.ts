import type { Clock } from '@parley/clock';
import type { CallResult } from '@parley/outgoing';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

function outcomeLabel(result: CallResult): string {
  if (result.kind === 'answer') return result.status < 300 ? 'answered' : 'bad-status';
  return result.kind;
}

/** The outcomes and durations of calls to services. */
export class CallMetrics {
  readonly #clock: Clock;
  readonly #calls: Counter<'outcome'>;
  readonly #duration: Histogram<'outcome'>;
  readonly #running: Gauge;

  constructor(clock: Clock, registry: Registry) {
    this.#clock = clock;
    const registers = [registry];
    this.#calls = new Counter({
      name: 'parley_outgoing_calls_total',
      help: 'Calls of outgoing webhooks, by outcome; skipped if no call was due any more, reply-refused if the bot could not send the reply',
      labelNames: ['outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'parley_outgoing_call_seconds',
      help: 'Time of calls of outgoing webhooks, including redirects, by outcome',
      labelNames: ['outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    });
    this.#running = new Gauge({
      name: 'parley_outgoing_calls_running',
      help: 'Calls of outgoing webhooks waiting for their answer',
      registers,
    });
  }

  /** Makes a call and counts its outcome. */
  async measure(call: () => Promise<CallResult>): Promise<CallResult> {
    const startedMs = this.#clock.elapsedMs();
    this.#running.inc();
    try {
      const result = await call();
      const outcome = outcomeLabel(result);
      this.#calls.inc({ outcome });
      this.#duration.observe({ outcome }, (this.#clock.elapsedMs() - startedMs) / 1000);
      return result;
    } finally {
      this.#running.dec();
    }
  }

  skipped(): void {
    this.#calls.inc({ outcome: 'skipped' });
  }

  replyRefused(): void {
    this.#calls.inc({ outcome: 'reply-refused' });
  }
}
