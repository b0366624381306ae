import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Clock } from '@parley/clock';
import { readServiceConfig } from '@parley/config';
import type { ServiceName } from '@parley/config';
import { ServiceProcess, startService } from '@parley/server';
import type { LocalNodes, RunningService, StartService } from '@parley/server';
import { createLogger } from '@parley/telemetry/logging';

import { answerFaultPrefix } from './answer-faults.ts';
import { NodeOutput } from './node-output.ts';
import { repositoryFolder } from './repository-folder.ts';
import { readMetricAt } from './service-node.ts';
import type { NodeEnd, ServiceNode } from './service-node.ts';
import { watchAnswers } from './watch-answers.ts';
import type { AnswerFaultHandler } from './watch-answers.ts';
import { watchedPorts } from './watched-ports.ts';

/** By port, the functions that get the faults in the answers of gateways. */
const watchedGateways = new Map<number, AnswerFaultHandler>();
let isWatching = false;

function watchGateway(port: number, onFault: AnswerFaultHandler): void {
  watchedGateways.set(port, onFault);
  watchedPorts.add(port);
  if (isWatching) return;
  isWatching = true;
  watchAnswers((ofPort) => (ofPort === undefined ? undefined : watchedGateways.get(ofPort)));
}

/** Each service's `service.ts` exports its start function, such as `startMessages`. */
async function findStart(service: ServiceName): Promise<StartService> {
  const path = join(repositoryFolder, 'services', service, 'src', 'service.ts');
  const exported = (await import(pathToFileURL(path).href)) as Readonly<
    Record<string, StartService>
  >;
  const name = `start${service.charAt(0).toUpperCase()}${service.slice(1)}`;
  const start = exported[name];
  if (start === undefined) throw new Error(`${path} exports no ${name}`);
  return start;
}

/**
 * One node of a service in the process of the test. It is built and stopped as in a separate process, with real connections to stores and
 * other nodes, but starts in a moment. It cannot be killed or paused.
 */
export class LocalService implements ServiceNode {
  readonly service: ServiceName;
  readonly nodeId: string;
  readonly endedByItself = false;
  readonly #running: RunningService;
  readonly #inProcess: ServiceProcess;
  readonly #output: NodeOutput;
  #end: NodeEnd | undefined;

  /**
   * Starts a node and waits until it serves.
   *
   * @param environment the environment that a process of the service would have
   * @param options.localNodes the nodes that share its process, as far as gateways and nodes know
   * @throws Error with the last output if it does not start
   */
  static async start(
    service: ServiceName,
    nodeId: string,
    environment: Readonly<Record<string, string>>,
    options: {
      readonly clock: Clock;
      readonly localNodes: LocalNodes;
      readonly watchAnswers: boolean;
    },
  ): Promise<LocalService> {
    const output = new NodeOutput();
    const config = readServiceConfig(environment, service);
    const log = createLogger(
      { service, nodeId: config.nodeId, level: config.logLevel },
      {
        write: (lines) =>
          lines
            .trimEnd()
            .split('\n')
            .forEach((line) => output.addLogged(line)),
      },
    );
    const { clock, localNodes } = options;
    const inProcess = await ServiceProcess.open(config, clock, localNodes);
    try {
      const running = await startService(config, await findStart(service), {
        log,
        clock,
        inProcess,
      });
      if (service === 'gateway' && options.watchAnswers)
        watchGateway(running.address.port, (fault) =>
          output.addFault(`${answerFaultPrefix}${fault}`),
        );
      return new LocalService(service, nodeId, { running, inProcess, output });
    } catch (error) {
      await inProcess.stop();
      throw new Error(
        `service ${service} did not start: ${(error as Error).message}\n${output.lines.join('\n')}`,
        { cause: error },
      );
    }
  }

  private constructor(
    service: ServiceName,
    nodeId: string,
    parts: {
      readonly running: RunningService;
      readonly inProcess: ServiceProcess;
      readonly output: NodeOutput;
    },
  ) {
    this.service = service;
    this.nodeId = nodeId;
    this.#running = parts.running;
    this.#inProcess = parts.inProcess;
    this.#output = parts.output;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#running.address.port}`;
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.#running.address.internalPort}`;
  }

  get end(): NodeEnd | undefined {
    return this.#end;
  }

  get output(): readonly string[] {
    return this.#output.lines;
  }

  get faultLines(): readonly string[] {
    return this.#output.faultLines;
  }

  get answerFaults(): readonly string[] {
    return this.#output.answerFaults;
  }

  /** @throws Error for a signal that only a separate process can get */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<NodeEnd> {
    if (signal !== 'SIGTERM')
      throw new Error(
        `${this.describe()} shares the process of the test: start processes for ${signal}`,
      );
    await this.#running.stop();
    await this.#inProcess.stop();
    watchedGateways.delete(this.#running.address.port);
    watchedPorts.delete(this.#running.address.port);
    this.#end = { code: 0, signal: null };
    return this.#end;
  }

  settle(): Promise<readonly string[]> {
    return this.#running.settle();
  }

  readMetric(name: string): Promise<number> {
    return readMetricAt(this.internalUrl, name);
  }

  describe(): string {
    return `${this.service} (node ${this.nodeId}, in this process)`;
  }

  describeOutput(): string {
    return `output of ${this.describe()}:\n${this.#output.lines.slice(-40).join('\n')}`;
  }

  watchOutput(watch: (line: string) => void): void {
    this.#output.watch(watch);
  }
}
