import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

import type { TypingEvents } from './typing-events.ts';

/** Registers the metrics of typing. */
export function registerTypingMetrics(registry: Registry, typing: TypingEvents): void {
  new Counter({
    name: 'parley_typing_dropped_total',
    help: 'Typing notices dropped because too many were waiting',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(typing.dropped);
    },
  });
}
