import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { serviceNames } from '@parley/config';
import type { ServiceName } from '@parley/config';
import { nodeOptionsOf } from '@parley/launcher';
import { testRunEnvironment } from '@parley/launcher/local-stores';

import { NodeOutput } from './node-output.ts';
import { repositoryFolder } from './repository-folder.ts';
import { readMetricAt } from './service-node.ts';
import type { NodeEnd, NodeKind, ServiceNode } from './service-node.ts';
import { waitUntil } from './wait-until.ts';
import { watchedPorts } from './watched-ports.ts';

/** Compares the answers of a gateway with the OpenAPI document (`answer-watch.ts`). */
const answerWatch = join(repositoryFolder, 'dist', 'answer-watch.js');

const compileCacheFolder = join(repositoryFolder, '.parley', 'tools', 'compile-cache');

// A dozen processes start at once, possibly on a busy machine.
const startDeadlineMs = 240_000;
// The first time, each of them writes the cache of its compiled code when it ends.
const stopDeadlineMs = 60_000;
const logLookIntervalMs = 50;

type Listening = { readonly port: number; readonly internalPort: number };

const running = new Set<ChildProcess>();

let built: Promise<unknown> | undefined;

/** Builds what processes are started from, if a source changed. */
function buildOnce(): Promise<unknown> {
  built ??= promisify(execFile)(process.execPath, [join(repositoryFolder, 'scripts', 'build.mjs')]);
  return built;
}

/** Ends all services when a test run ends abruptly. One listener for all, because Node reports many as a leak. */
function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** One real process of one service, or of all. */
export class ServiceProcess implements ServiceNode {
  readonly service: NodeKind;
  readonly nodeId: string;
  readonly pid: number;
  /** The file with the log, if one was requested. */
  readonly logFile: string | undefined;
  /** Resolved when the process has ended, for any reason. */
  readonly exited: Promise<NodeEnd>;
  readonly #child: ChildProcess;
  readonly #output = new NodeOutput();
  readonly #listening = Promise.withResolvers<Listening>();
  #address: Listening | undefined;
  #end: NodeEnd | undefined;
  #endWasAsked = false;

  /**
   * Starts `dist/<service>.js`, built from the sources as they are, or `parley serve` for all services, and waits until it logs `listening` and answers `/health/ready`.
   *
   * @param environment the whole environment of the process, except `PATH`
   * @param options.watchAnswers for a gateway: compares its answers with the OpenAPI document
   * @param options.logFile a file for the log, of which only the first lines are read here: for measurements of speed
   * @throws Error with the last output if it ends or is not ready in time
   */
  static async start(
    service: NodeKind,
    nodeId: string,
    environment: Readonly<Record<string, string>>,
    options: {
      readonly watchAnswers?: boolean;
      readonly logFile?: string | undefined;
    } = {},
  ): Promise<ServiceProcess> {
    await buildOnce();
    const preloaded =
      addressedService(service) === 'gateway' && options.watchAnswers === true
        ? ['--import', answerWatch]
        : [];
    const started = new ServiceProcess(service, nodeId, environment, preloaded, options.logFile);
    try {
      await started.#becomeReady();
      if (preloaded.length > 0) watchedPorts.add(started.#getAddress().port);
    } catch (error) {
      started.#endWasAsked = true;
      started.signal('SIGKILL');
      await started.exited;
      throw new Error(
        `service ${service} did not start: ${(error as Error).message}\n${started.describeOutput()}`,
        { cause: error },
      );
    }
    return started;
  }

  private constructor(
    service: NodeKind,
    nodeId: string,
    environment: Readonly<Record<string, string>>,
    preloaded: readonly string[],
    logFile: string | undefined,
  ) {
    this.service = service;
    this.nodeId = nodeId;
    this.logFile = logFile;
    const logTo = logFile === undefined ? 'pipe' : openSync(logFile, 'w');
    this.#listening.promise.catch(() => undefined);
    const words = [...nodeOptionsOf(addressedService(service)), ...preloaded, ...entryOf(service)];
    const child = spawn(process.execPath, words, {
      cwd: repositoryFolder,
      // Without the cache every process strips and compiles the same sources again, which is most of the cost of a start.
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: compileCacheFolder,
        ...testRunEnvironment(),
        ...environment,
      },
      stdio: ['ignore', logTo, 'pipe'],
    });
    if (logTo !== 'pipe') closeSync(logTo);
    this.#child = child;
    this.pid = child.pid ?? 0;
    if (running.size === 0) process.once('exit', killAll);
    running.add(child);
    this.exited = new Promise((resolve) => {
      const finish = (end: NodeEnd): void => {
        this.#end = end;
        running.delete(child);
        if (this.#address !== undefined) watchedPorts.delete(this.#address.port);
        if (running.size === 0) process.off('exit', killAll);
        this.#listening.reject(new Error(`it ended with ${describeEnd(end)}`));
        resolve(end);
      };
      child.once('error', (error) => {
        this.#output.addFault(error.message);
        finish({ code: null, signal: null });
      });
      child.once('close', (code, signal) => finish({ code, signal }));
    });
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => this.#readLine(line));
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', (line) => this.#output.addFault(line));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#getAddress().port}`;
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.#getAddress().internalPort}`;
  }

  get end(): NodeEnd | undefined {
    return this.#end;
  }

  get endedByItself(): boolean {
    return this.#end !== undefined && !this.#endWasAsked;
  }

  get output(): readonly string[] {
    return this.#output.lines;
  }

  /** The process's log lines of level error or worse and its other output, at most the first 100 lines. */
  get faultLines(): readonly string[] {
    return this.#output.faultLines;
  }

  get answerFaults(): readonly string[] {
    return this.#output.answerFaults;
  }

  /** Sends a signal without waiting for its effect: `SIGSTOP` pauses the process, `SIGCONT` continues it. */
  signal(signal: NodeJS.Signals): void {
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.#endWasAsked = true;
    this.#child.kill(signal);
  }

  /**
   * Sends a signal that ends the process and waits for its end.
   *
   * @throws Error if it still runs after 15 s; then it is killed
   */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<NodeEnd> {
    if (this.#end !== undefined) return this.#end;
    this.signal(signal);
    // A paused process reacts to no signal except SIGKILL.
    if (signal !== 'SIGKILL') this.signal('SIGCONT');
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), stopDeadlineMs);
    const end = await Promise.race([this.exited, promise]);
    clearTimeout(timer);
    if (end !== undefined) return end;
    this.#child.kill('SIGKILL');
    await this.exited;
    throw new Error(
      `${this.describe()} still ran ${stopDeadlineMs} ms after ${signal}\n${this.describeOutput()}`,
    );
  }

  settle(): Promise<readonly string[]> {
    return Promise.reject(new Error(`${this.describe()} keeps its own time: wait for a condition`));
  }

  readMetric(name: string): Promise<number> {
    return readMetricAt(this.internalUrl, name);
  }

  describe(): string {
    return `${this.service} (node ${this.nodeId}, process ${this.pid})`;
  }

  watchOutput(watch: (line: string) => void): void {
    this.#output.watch(watch);
  }

  describeOutput(): string {
    const logged = this.#readLogFile();
    return `output of ${this.describe()}:\n${[...logged, ...this.#output.lines].slice(-40).join('\n')}`;
  }

  async #becomeReady(): Promise<void> {
    const tooLate = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => tooLate.reject(new Error(`it did not listen within ${startDeadlineMs} ms`)),
      startDeadlineMs,
    );
    const look =
      this.logFile === undefined
        ? undefined
        : setInterval(() => {
            for (const line of this.#readLogFile()) this.#findAddress(line);
          }, logLookIntervalMs);
    try {
      this.#address = await Promise.race([this.#listening.promise, tooLate.promise]);
    } finally {
      clearTimeout(timer);
      clearInterval(look);
    }
    await waitUntil(
      `${this.service} is ready`,
      async () => {
        if (this.#end !== undefined) return true;
        const response = await fetch(`${this.internalUrl}/health/ready`);
        await response.arrayBuffer();
        return response.ok;
      },
      { deadlineMs: startDeadlineMs },
    );
    if (this.#end !== undefined) throw new Error(`it ended with ${describeEnd(this.#end)}`);
  }

  #getAddress(): Listening {
    if (this.#address === undefined) throw new Error(`${this.describe()} does not listen yet`);
    return this.#address;
  }

  #readLine(line: string): void {
    this.#output.addLogged(line);
    this.#findAddress(line);
  }

  #readLogFile(): readonly string[] {
    return this.logFile === undefined ? [] : readFileSync(this.logFile, 'utf8').split('\n');
  }

  #findAddress(line: string): void {
    if (this.#address !== undefined || !line.includes('"listening"')) return;
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      return;
    }
    const { msg, service, port, internal_port: internalPort } = entry as Record<string, unknown>;
    if (msg !== 'listening' || service !== addressedService(this.service)) return;
    if (typeof port !== 'number' || typeof internalPort !== 'number') return;
    this.#listening.resolve({ port, internalPort });
  }
}

/** The service whose address is that of the process. */
function addressedService(kind: NodeKind): ServiceName {
  return kind === 'together' ? 'gateway' : kind;
}

function entryOf(kind: NodeKind): readonly string[] {
  return kind === 'together' ? ['dist/parley.js', 'serve', ...serviceNames] : [`dist/${kind}.js`];
}

/** @throws Error for a node that is not a separate process */
export function processOf(node: ServiceNode): ServiceProcess {
  if (node instanceof ServiceProcess) return node;
  throw new Error(`${node.describe()}: this needs a system with processes of its own`);
}

function describeEnd(end: NodeEnd): string {
  return end.signal === null ? `code ${end.code}` : `signal ${end.signal}`;
}
