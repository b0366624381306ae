import { systemClock } from '@parley/clock';
import { ConfigError, readServiceConfig } from '@parley/config';
import type { Environment, ServiceConfig, ServiceName } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import type { Logger } from '@parley/telemetry/logging';
import { asksForTraces, findTracer, startTraces } from '@parley/telemetry/tracing';

import { giveBackMemory } from './give-back-memory.ts';
import { nameOfProcess } from './process-name.ts';
import type { ProcessName } from './process-name.ts';
import { startService } from './service-frame.ts';
import type { RunningService, StartService } from './service-frame.ts';
import { ServiceProcess, parleyVersion } from './service-process.ts';

// A process that lives this long after everything was released still holds a forgotten resource; it is ended anyway.
const forgottenHandleMs = 1000;

/** Lets the process end by itself, and ends it if it does not. */
function endProcess(log: Logger, exitCode: number): number {
  systemClock
    .after(forgottenHandleMs, () => {
      log.warn('a resource still keeps the process running; it is ended anyway');
      process.exit(exitCode);
    })
    .unref();
  return exitCode;
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

/** The services that a process runs, and how each starts. */
export type ServiceStarts = Readonly<Partial<Record<ServiceName, StartService>>>;

/** A service of this process. */
type Part = { readonly config: ServiceConfig; readonly start: StartService };

function readParts(starts: ServiceStarts, env: Environment): readonly Part[] {
  const entries = Object.entries(starts);
  try {
    return entries.map(([service, start]) => ({
      config: readServiceConfig(env, service, entries.length === 1),
      start,
    }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const service = Object.keys(starts).join('+');
    const log = createLogger({ service, nodeId: 'unnamed', level: 'info' });
    log.fatal({ faults: error.faults }, 'the configuration is not usable');
    return [];
  }
}

/** The interval of reports of lost spans. A collector that is down loses some every second. */
const lossesIntervalMs = 60_000;

/** Traces the requests of all services of the process. @returns how to end that */
async function traceProcess(
  env: Environment,
  { nodeId, service }: ProcessName,
  log: Logger,
): Promise<() => Promise<void>> {
  let lost = 0;
  let loggedAtMs = -Infinity;
  try {
    return await startTraces({
      env,
      clock: systemClock,
      service,
      nodeId,
      version: parleyVersion,
      onLost: (spans) => {
        lost += spans;
        const nowMs = systemClock.elapsedMs();
        if (nowMs - loggedAtMs < lossesIntervalMs) return;
        loggedAtMs = nowMs;
        log.warn({ spans: lost }, 'the collector of traces did not take spans');
        lost = 0;
      },
    });
  } catch (error) {
    // Unusable trace settings are no reason not to serve.
    log.warn({ err: error }, 'traces cannot be sent with these variables');
    return async () => undefined;
  }
}

/** @returns the same, and the last service to be ready gives back the memory that all starts took, before it listens */
function frugal(parts: readonly Part[]): readonly Part[] {
  let left = parts.length;
  return parts.map(({ config, start }) => ({
    config,
    start: async (frame) => {
      const handler = await start(frame);
      left -= 1;
      if (left === 0) giveBackMemory();
      return handler;
    },
  }));
}

/**
 * The main function of a process: reads the configuration of its services, starts them, waits for SIGTERM or SIGINT, releases everything. A
 * fault at the start is one log line and exit status 1.
 *
 * @param starts one service or several, which then reach one another without a connection
 * @param env the process's environment
 * @returns the exit status
 */
export async function runServices(starts: ServiceStarts, env: Environment): Promise<number> {
  const parts = readParts(starts, env);
  const first = parts[0]?.config;
  if (first === undefined) return 1;
  const isTraced = asksForTraces(env);
  const loggerOf = ({ service, nodeId }: ProcessName): Logger =>
    createLogger({
      service,
      nodeId,
      level: first.logLevel,
      ...(isTraced ? { findTraceId: () => findTracer()?.findSpan()?.traceId } : {}),
    });
  const name = nameOfProcess(parts.map(({ config }) => config));
  const log = loggerOf(name);
  const fail = (error: unknown): void => {
    // State may be broken after an uncaught error; another process takes over.
    log.fatal({ err: error }, 'unexpected failure outside of any request');
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const signals = receiveSignals();
  const stopTraces = isTraced ? await traceProcess(env, name, log) : undefined;
  let inProcess: ServiceProcess | undefined;
  let running: readonly RunningService[] = [];
  const failed = Promise.withResolvers<never>();
  // Those that still wait for a store when one has failed end then.
  const stopAsked = Promise.race([signals.first, failed.promise]).catch(() => undefined);
  const stopAll = async (): Promise<void> => {
    await Promise.all(running.map((service) => service.stop()));
    await inProcess?.stop();
    await stopTraces?.();
  };
  try {
    inProcess = await ServiceProcess.open(first, systemClock);
    const shared = { clock: systemClock, inProcess, stopAsked };
    const outcomes = await Promise.all(
      frugal(parts).map(({ config, start }) =>
        startService(config, start, { ...shared, log: loggerOf(config) }).catch(failed.reject),
      ),
    );
    running = outcomes.filter((each) => each !== undefined);
    if (running.length < parts.length) await failed.promise;
  } catch (error) {
    await stopAll();
    if (signals.hasCome()) {
      log.info('stopped before it had started');
      return endProcess(log, 0);
    }
    log.fatal({ err: error }, 'the service could not start');
    return endProcess(log, 1);
  }
  log.info({ signal: await signals.first }, 'stopping');
  await stopAll();
  log.info('stopped');
  return endProcess(log, 0);
}
