import { monitorEventLoopDelay } from 'node:perf_hooks';

import {
  collectDefaultMetrics,
  Gauge,
  Histogram,
  register as processRegistry,
  Registry,
} from 'prom-client';

/**
 * The precision to give the library for its own measurement of the event loop, which cannot be left out: a day, in milliseconds. It measures
 * with a timer, which wakes an idle process a hundred times a second at its usual precision.
 */
const unusedLoopPrecisionMs = 86_400_000;

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
function registerEventLoopMetrics(registry: Registry): void {
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

/** The metrics of every service: requests by endpoint and status. */
export type ServiceMetrics = {
  /** Where a service registers its own metrics. */
  readonly registry: Registry;
  readonly requestDuration: Histogram<'endpoint' | 'status'>;
  readonly requestsInFlight: Gauge;
};

// From half a millisecond up to a held poll of a minute.
const durationBucketsSecs = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

const buildInfoName = 'parley_build_info';

/**
 * Where a process counts: Node's own metrics, the release, and packages without a service's configuration, such as the log.
 *
 * @param version the running release, shown by `parley_build_info`
 * @returns the same registry for all services of the process
 */
export function registryOfProcess(version: string): Registry {
  if (processRegistry.getSingleMetric(buildInfoName) !== undefined) return processRegistry;
  collectDefaultMetrics({
    register: processRegistry,
    eventLoopMonitoringPrecision: unusedLoopPrecisionMs,
  });
  registerEventLoopMetrics(processRegistry);
  new Gauge({
    name: buildInfoName,
    help: 'Always 1, with the running release as a label',
    labelNames: ['version'],
    registers: [processRegistry],
  }).set({ version }, 1);
  return processRegistry;
}

export function createMetrics(): ServiceMetrics {
  const registry = new Registry();
  return {
    registry,
    requestDuration: new Histogram({
      name: 'parley_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer, by endpoint and status',
      labelNames: ['endpoint', 'status'],
      buckets: durationBucketsSecs,
      registers: [registry],
    }),
    requestsInFlight: new Gauge({
      name: 'parley_http_requests_in_flight',
      help: 'Requests being handled, including held polls',
      registers: [registry],
    }),
  };
}
