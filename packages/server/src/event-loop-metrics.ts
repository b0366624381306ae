import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/**
 * The precision to give the library for its own measurement of the event loop, which cannot be left out: a day, in milliseconds. It measures
 * with a timer, which wakes an idle process a hundred times a second at its usual precision.
 */
export const unusedLoopPrecisionMs = 86_400_000;

/** The names of the library's metrics. */
const libraryMetrics = [
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
];

const percentiles = [50, 90, 99];
const nanosecondsPerSec = 1e9;

/**
 * Measures how long turns of the event loop take, from waking up to waiting again, since the last reading of the metrics. It takes the place
 * of the library's measurement and keeps its names.
 */
export function registerEventLoopMetrics(registry: Registry): void {
  for (const name of libraryMetrics) registry.removeSingleMetric(name);
  const turns = monitorEventLoopDelay({ samplePerIteration: true });
  turns.enable();
  const registers = [registry];
  for (const percentile of percentiles) {
    new Gauge({
      name: `nodejs_eventloop_lag_p${percentile}_seconds`,
      help: `The ${percentile}th percentile of the turns of the event loop since the last reading`,
      registers,
      collect() {
        this.set(turns.percentile(percentile) / nanosecondsPerSec);
      },
    });
  }
  // Read last, because it begins the next measurement.
  new Gauge({
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'The longest turn of the event loop since the last reading',
    registers,
    collect() {
      this.set(turns.max / nanosecondsPerSec);
      turns.reset();
    },
  });
}
