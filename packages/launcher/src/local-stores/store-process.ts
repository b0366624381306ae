import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

import { pause, systemClock } from '@parley/clock';

import { StoreFault } from './store-fault.ts';
import { testRunEnvironment } from './test-run.ts';

const tailLinesMax = 30;

const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) child.kill('SIGINT');
}

/** The system user that a process runs as, because Postgres refuses to run as root. */
export type Account = { name: string; uid: number; gid: number };

/** The command that starts a process. */
export type StoreCommand = {
  /** Its name in messages. */
  name: string;
  program: string;
  args: readonly string[];
  /** The whole environment, if nothing of the shell's may reach the store; otherwise that of this process. */
  env: Record<string, string> | undefined;
  account: Account | undefined;
  /** Written to its standard input, for data that must not be visible in the list of processes. */
  input?: string;
  log: (line: string) => void;
};

/** A store's process in its own group, out of reach of a terminal's Ctrl-C. */
export class StoreProcess {
  readonly pid: number;
  /** Fulfilled when the process has ended, with a description of how. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #tail: string[] = [];
  #ended = false;

  /**
   * Starts the process.
   *
   * @throws StoreFault if the program cannot be run
   */
  static async start(command: StoreCommand): Promise<StoreProcess> {
    const { account } = command;
    const child = spawn(command.program, command.args, {
      cwd: '/',
      detached: true,
      stdio: [command.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(command.env === undefined ? {} : { env: { ...command.env, ...testRunEnvironment() } }),
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(
          new StoreFault(
            `${command.name} cannot be run${account === undefined ? '' : ` as user ${account.name}`}: ${error.message}`,
            { cause: error },
          ),
        ),
      );
    });
    return new StoreProcess(command, child);
  }

  private constructor(command: StoreCommand, child: ChildProcess) {
    this.#child = child;
    this.#name = command.name;
    this.pid = child.pid ?? 0;
    // One listener for all of them, because Node reports many as a leak.
    if (running.size === 0) process.once('exit', endAll);
    running.add(child);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#ended = true;
        running.delete(child);
        if (running.size === 0) process.off('exit', endAll);
        resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.#tail.push(line);
        if (this.#tail.length > tailLinesMax) this.#tail.shift();
        command.log(line);
      });
    }
    if (child.stdin !== null) {
      // If a process ends before it has read its input, `exited` reports that.
      child.stdin.on('error', () => undefined);
      child.stdin.end(command.input);
    }
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** The last lines that the process printed, for the message about its end. */
  get lastLines(): readonly string[] {
    return this.#tail;
  }

  /**
   * Waits until the store answers.
   *
   * @param answers asks the store once
   * @param deadlineMs how long to ask
   * @throws StoreFault if the process ends or the time is over; the process is ended then
   */
  async waitUntil(answers: () => Promise<boolean>, deadlineMs: number): Promise<void> {
    const endMs = systemClock.elapsedMs() + deadlineMs;
    while (!(await answers())) {
      if (this.#ended) {
        throw new StoreFault(
          `${this.#name} ${await this.exited}. Its last words:\n  ${this.#tail.slice(-8).join('\n  ')}`,
        );
      }
      if (systemClock.elapsedMs() > endMs) {
        await this.stop(['SIGKILL'], 0);
        throw new StoreFault(`${this.#name} did not answer within ${deadlineMs / 1000} s.`);
      }
      await pause(systemClock, 40);
    }
  }

  /**
   * Asks the process to end, with each next signal after the given time without success.
   *
   * @param signals the signals, gentlest first
   * @param patienceMs the time for each of them
   */
  async stop(signals: readonly NodeJS.Signals[], patienceMs: number): Promise<void> {
    for (const signal of signals) {
      if (this.#ended) return;
      this.#child.kill(signal);
      const timer = Promise.withResolvers<void>();
      const handle = systemClock.after(patienceMs, timer.resolve);
      await Promise.race([this.exited, timer.promise]);
      handle.cancel();
    }
    await this.exited;
  }
}

/** A store that runs and can be stopped. */
export type RunningStore = {
  /** The address for clients, with the password. */
  url: string;
  port: number;
  pid: number;
  /** Fulfilled when the process has ended for any reason, with a description of how. */
  exited: Promise<string>;
  /** The last lines it printed. */
  lastLines: readonly string[];
  /** Stops it in order and waits for its end. */
  stop: () => Promise<void>;
};
