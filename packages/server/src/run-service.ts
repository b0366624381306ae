import { systemClock } from '@parley/clock';
import { ConfigError, readServiceConfig } from '@parley/config';
import type { Environment, ServiceConfig } from '@parley/config';
import { createLogger } from '@parley/logging';
import type { Logger } from '@parley/logging';
import { asksForTraces, findTracer, startTraces } from '@parley/tracing';

import { parleyVersion, startService } from './service-frame.ts';
import type { RunningService, ServiceFrame, StartService } from './service-frame.ts';

// A process that lives this long after everything was released still holds a forgotten resource; it is ended anyway.
const forgottenHandleMs = 1000;

function endProcess(log: Logger, exitCode: number): void {
  process.exitCode = exitCode;
  systemClock
    .after(forgottenHandleMs, () => {
      log.warn('a resource still keeps the process running; it is ended anyway');
      process.exit(exitCode);
    })
    .unref();
}

type Signals = {
  readonly first: Promise<string>;
  readonly hasCome: () => boolean;
};

function receiveSignals(): Signals {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  let hasCome = false;
  const receive = (signal: string): void => {
    // A second signal means that the sender does not want to wait.
    if (hasCome) process.exit(1);
    hasCome = true;
    resolve(signal);
  };
  process.on('SIGTERM', receive);
  process.on('SIGINT', receive);
  return { first, hasCome: () => hasCome };
}

function readConfig(service: string, env: Environment): ServiceConfig | undefined {
  try {
    return readServiceConfig(env, service);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const log = createLogger({ service, nodeId: 'unnamed', level: 'info' });
    log.fatal({ faults: error.faults }, 'the configuration is not usable');
    return undefined;
  }
}

/** The interval of reports of lost spans. A collector that is down loses some every second. */
const lossesIntervalMs = 60_000;

function startTracesOf(
  env: Environment,
  { clock, config, log }: ServiceFrame,
): Promise<() => Promise<void>> {
  let lost = 0;
  let loggedAtMs = -Infinity;
  return startTraces({
    env,
    clock,
    service: config.service,
    nodeId: config.nodeId,
    version: parleyVersion,
    onLost: (spans) => {
      lost += spans;
      const nowMs = clock.elapsedMs();
      if (nowMs - loggedAtMs < lossesIntervalMs) return;
      loggedAtMs = nowMs;
      log.warn({ spans: lost }, 'the collector of traces did not take spans');
      lost = 0;
    },
  });
}

/** Traces a service from before its first connection to after its last request. */
function traced(env: Environment, start: StartService): StartService {
  return async (frame) => {
    try {
      const stopTraces = await startTracesOf(env, frame);
      frame.onDispose('traces', stopTraces);
    } catch (error) {
      // Unusable trace settings are no reason not to serve.
      frame.log.warn({ err: error }, 'traces cannot be sent with these variables');
    }
    return start(frame);
  };
}

/**
 * The main function of a service: reads the configuration, starts, waits for SIGTERM or SIGINT, releases everything. A fault at the start
 * is one log line and exit status 1.
 *
 * @param env the process's environment
 */
export async function runService(
  service: string,
  env: Environment,
  start: StartService,
): Promise<void> {
  const config = readConfig(service, env);
  if (config === undefined) {
    process.exitCode = 1;
    return;
  }
  const isTraced = asksForTraces(env);
  const log = createLogger({
    service,
    nodeId: config.nodeId,
    level: config.logLevel,
    ...(isTraced ? { findTraceId: () => findTracer()?.findSpan()?.traceId } : {}),
  });
  const fail = (error: unknown): void => {
    // State may be broken after an uncaught error; another process takes over.
    log.fatal({ err: error }, 'unexpected failure outside of any request');
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const signals = receiveSignals();
  let running: RunningService;
  try {
    running = await startService(config, isTraced ? traced(env, start) : start, {
      clock: systemClock,
      log,
      stopAsked: signals.first,
    });
  } catch (error) {
    if (signals.hasCome()) {
      log.info('stopped before it had started');
      endProcess(log, 0);
      return;
    }
    log.fatal({ err: error }, 'the service could not start');
    endProcess(log, 1);
    return;
  }
  log.info({ signal: await signals.first }, 'stopping');
  await running.stop();
  log.info('stopped');
  endProcess(log, 0);
}
