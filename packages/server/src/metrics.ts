import {
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  register as processRegistry,
} from 'prom-client';

import { registerEventLoopMetrics, unusedLoopPrecisionMs } from './event-loop-metrics.ts';

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
