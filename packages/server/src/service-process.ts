import type { Clock } from '@parley/clock';
import type { ServiceConfig } from '@parley/config';
import type { NodeLinks } from './links/index.ts';

import { listen } from './graceful-server.ts';
import type { GracefulServer } from './graceful-server.ts';
import { createInternalApp } from './internal-app.ts';
import type { ShownService } from './internal-app.ts';

/** The version of Parley, shown by health endpoints; the interface has its own version. */
export const parleyVersion = '0.1.0';

/**
 * A connection may be silent for this long beyond the longest poll. No other answer takes as long, and neither does a client that reads
 * again after it gave up (after 90 s).
 */
const silenceMarginMs = 120_000;

/** The longest silence of a connection to any server of a service. */
export function silenceMaxMsOf({ queues }: ServiceConfig): number {
  return queues.heartbeatMaxMs + silenceMarginMs;
}

/** The nodes in a process, by their ids, with the links on which gateways in the same process reach them by calls. */
export type LocalNodes = Map<string, NodeLinks>;

/** What the services of one process share: the internal server, and the way to one another. */
export class ServiceProcess {
  readonly localNodes: LocalNodes;
  readonly #services: ShownService[];
  readonly #server: GracefulServer;

  /**
   * Listens on the internal port.
   *
   * @param config where it listens, and its limits, which are those of each service
   * @param localNodes none at first; tests give nodes with internal ports of their own the same ones
   */
  static async open(
    config: ServiceConfig,
    clock: Clock,
    localNodes: LocalNodes = new Map(),
  ): Promise<ServiceProcess> {
    const services: ShownService[] = [];
    const { host, internalPort } = config.listen;
    const server = await listen(
      createInternalApp(parleyVersion, () => services),
      {
        clock,
        host,
        port: internalPort,
        requestTimeoutMs: config.requestTimeoutMs,
        silenceMaxMs: silenceMaxMsOf(config),
      },
    );
    return new ServiceProcess(services, server, localNodes);
  }

  private constructor(services: ShownService[], server: GracefulServer, localNodes: LocalNodes) {
    this.localNodes = localNodes;
    this.#services = services;
    this.#server = server;
  }

  get internalPort(): number {
    return this.#server.port;
  }

  /** Shows a service on the internal port, until the process ends. */
  show(service: ShownService): void {
    this.#services.push(service);
  }

  /** Stops the internal server. Called last, so that health stays visible to the end. */
  async stop(): Promise<void> {
    await this.#server.stop(1000);
  }
}
