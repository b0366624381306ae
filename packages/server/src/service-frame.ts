import { systemClock } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';
import type { ServiceConfig } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import type { Logger } from '@parley/telemetry/logging';

import { listen } from './graceful-server.ts';
import type { GracefulServer, RequestHandler, UpgradeHandler } from './graceful-server.ts';
import type { ReadinessCheck } from './internal-app.ts';
import { createMetrics } from './metrics.ts';
import type { ServiceMetrics } from './metrics.ts';
import { ServiceProcess, silenceMaxMsOf } from './service-process.ts';
import type { LocalNodes } from './service-process.ts';

/** The address of a running service for other processes. */
export type ServiceAddress = {
  readonly host: string;
  readonly port: number;
  readonly internalPort: number;
};

type Callback = () => Promise<void> | void;

type Settle = () => Promise<boolean> | boolean;

/** The tools that a service gets to build itself. */
export type ServiceFrame = {
  readonly config: ServiceConfig;
  readonly clock: Clock;
  /** When the start began, on the clock's elapsed time. */
  readonly startedAtMs: number;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  readonly localNodes: LocalNodes;
  /** Aborted when the service is told to stop, also while it starts, before the drain callbacks run. */
  readonly stopping: AbortSignal;
  /** Registers the release of a resource; releases run last, in reverse order. */
  readonly onDispose: (name: string, dispose: Callback) => void;
  /**
   * Registers work that is done while requests are still accepted, such as answering held polls or giving up a lease. Drains too run in
   * reverse order, so a lease taken once the server listens is given up first, and no new request comes while polls are answered.
   */
  readonly onDrain: (name: string, drain: Callback) => void;
  /**
   * Registers work that goes on by itself, such as following the log. `settle` does at once what is due, without waiting for its interval,
   * and returns whether there was nothing to do ({@link RunningService.settle}).
   */
  readonly onSettle: (name: string, settle: Settle) => void;
  /** Registers a condition of `/health/ready`. */
  readonly addReadinessCheck: (name: string, check: ReadinessCheck['check']) => void;
  /**
   * Registers work for the moment when the public server listens, such as taking a lease. The service is ready, and logged as started, only
   * after it.
   */
  readonly onListening: (started: (address: ServiceAddress) => Promise<void> | void) => void;
  /** Sets the handler of connections that request a protocol other than HTTP; without it they are ordinary requests. */
  readonly onUpgrade: (handler: UpgradeHandler) => void;
};

/** Connects, registers its parts on the frame, and returns the handler of public requests, usually an express app. */
export type StartService = (frame: ServiceFrame) => Promise<RequestHandler> | RequestHandler;

export type RunningService = {
  readonly address: ServiceAddress;
  readonly frame: ServiceFrame;
  /**
   * Does what is due by now and does not wait for its interval.
   *
   * @returns the names of what had something to do: none when everything has happened that earlier requests cause
   */
  readonly settle: () => Promise<readonly string[]>;
  /** Drains, closes and disposes. May be called more than once. */
  readonly stop: () => Promise<void>;
};

type Named = { readonly name: string; readonly run: Callback };

// A step that hangs must not prevent the others.
async function runSteps(
  { clock, log }: Pick<ServiceFrame, 'clock' | 'log'>,
  steps: readonly Named[],
  deadlineMs: number,
): Promise<void> {
  for (const { name, run } of steps) {
    let timer: Timer | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = clock.after(deadlineMs, () => resolve('late'));
    });
    try {
      if ((await Promise.race([run(), late])) === 'late')
        log.warn({ step: name }, 'a step of stopping took too long');
    } catch (error) {
      log.warn({ err: error, step: name }, 'a step of stopping failed');
    } finally {
      timer?.cancel();
    }
  }
}

/** Everything that a service has registered on its frame. */
type Registered = {
  readonly checks: ReadinessCheck[];
  readonly drains: Named[];
  readonly disposals: Named[];
  readonly settling: { readonly name: string; readonly settle: Settle }[];
  readonly listeners: ((address: ServiceAddress) => Promise<void> | void)[];
  upgradeHandler: UpgradeHandler | undefined;
};

function nothingRegistered(): Registered {
  return {
    checks: [],
    drains: [],
    disposals: [],
    settling: [],
    listeners: [],
    upgradeHandler: undefined,
  };
}

function createFrame(
  fixed: Pick<ServiceFrame, 'clock' | 'config' | 'localNodes' | 'log' | 'metrics' | 'stopping'>,
  registered: Registered,
): ServiceFrame {
  return {
    ...fixed,
    startedAtMs: fixed.clock.elapsedMs(),
    onDispose: (name, run) => {
      registered.disposals.push({ name, run });
    },
    onDrain: (name, run) => {
      registered.drains.push({ name, run });
    },
    onSettle: (name, settle) => {
      registered.settling.push({ name, settle });
    },
    addReadinessCheck: (name, check) => {
      registered.checks.push({ name, check });
    },
    onListening: (started) => {
      registered.listeners.push(started);
    },
    onUpgrade: (handler) => {
      registered.upgradeHandler = handler;
    },
  };
}

async function settleAll(settling: Registered['settling']): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    settling.map(async ({ name, settle }) => ((await settle()) ? [] : [name])),
  );
  return outcomes.flat();
}

type StartOptions = {
  /** The root logger; made from the config if absent. */
  readonly log?: Logger;
  /** The time of the machine if absent. */
  readonly clock?: Clock;
  /** The process that the service shares with others; it has one of its own if absent. */
  readonly inProcess?: ServiceProcess;
  /** Settled when the process is told to stop; a start that waits for a store ends then. */
  readonly stopAsked?: Promise<unknown>;
};

/**
 * Starts a service in this order: internal server, the service's own parts, public server. Tests use it in process with port 0; main files
 * call `runServices`.
 *
 * @throws any error of the start; everything already started is released before
 */
export async function startService(
  config: ServiceConfig,
  start: StartService,
  options: StartOptions = {},
): Promise<RunningService> {
  const { clock = systemClock } = options;
  const log =
    options.log ??
    createLogger({ service: config.service, nodeId: config.nodeId, level: config.logLevel });
  const metrics = createMetrics();
  const stopping = new AbortController();
  const registered = nothingRegistered();
  let isServing = false;
  const inProcess = options.inProcess ?? (await ServiceProcess.open(config, clock));
  const { localNodes } = inProcess;
  const frame = createFrame(
    { clock, config, localNodes, log, metrics, stopping: stopping.signal },
    registered,
  );
  inProcess.show({
    service: config.service,
    nodeId: config.nodeId,
    registry: metrics.registry,
    isServing: () => isServing,
    checks: () => registered.checks,
  });
  // Registered first and so stopped last, so that health stays visible to the end.
  if (options.inProcess === undefined) frame.onDispose('internal server', () => inProcess.stop());
  void options.stopAsked?.then(() => stopping.abort());
  let publicServer: GracefulServer | undefined;
  const release = async (): Promise<void> => {
    isServing = false;
    stopping.abort();
    await runSteps(frame, registered.drains.toReversed(), config.drainTimeoutMs);
    await publicServer?.stop(config.drainTimeoutMs);
    await runSteps(frame, registered.disposals.toReversed(), config.drainTimeoutMs);
    metrics.registry.clear();
  };
  try {
    const { host, advertisedHost, port } = config.listen;
    const handler = await start(frame);
    const { upgradeHandler } = registered;
    publicServer = await listen(handler, {
      clock,
      host,
      port,
      requestTimeoutMs: config.requestTimeoutMs,
      silenceMaxMs: silenceMaxMsOf(config),
      ...(upgradeHandler === undefined ? {} : { onUpgrade: upgradeHandler }),
    });
    const address = {
      host: advertisedHost,
      port: publicServer.port,
      internalPort: inProcess.internalPort,
    };
    for (const started of registered.listeners) await started(address);
    isServing = true;
    log.info(
      { port: address.port, internal_port: address.internalPort, pid: process.pid },
      'listening',
    );
    let stopped: Promise<void> | undefined;
    return {
      address,
      frame,
      settle: () => settleAll(registered.settling),
      stop: () => {
        stopped ??= release();
        return stopped;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}
