import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { get } from 'node:http';
import { createInterface } from 'node:readline';

import { pause, systemClock } from '@parley/clock';

import { describeLogLine } from './log-file.ts';
import type { LogFile } from './log-file.ts';
import { LaunchFault } from './launch-fault.ts';
import type { Running } from './supervisor.ts';

/** Longer than a service waits for its stores (`PARLEY_START_LIMIT_SECS`); one that gives up ends, which is noticed at once. */
const readyWithinMs = 360_000;
const drainPatienceMs = 12_000;
const askEveryMs = 50;
const answerWithinMs = 2_000;

/** The command that starts a Node process of Parley. */
export type NodeCommand = {
  name: string;
  nodeOptions?: readonly string[];
  /** Absolute path of the entry. */
  entry: string;
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
  log: LogFile;
};

/** The command that starts a process of services. */
export type ServiceCommand = NodeCommand & {
  /** The one of its services whose port it is asked for. */
  service: string;
};

type Listening = { port: number; internalPort: number };

function findListening(line: string, service: string): Listening | undefined {
  if (!line.includes('"listening"')) return undefined;
  try {
    const value = JSON.parse(line) as Partial<Record<string, unknown>>;
    return value['msg'] === 'listening' &&
      value['service'] === service &&
      typeof value['port'] === 'number' &&
      typeof value['internal_port'] === 'number'
      ? { port: value['port'], internalPort: value['internal_port'] }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Starts a process in its own group, so that a terminal's Ctrl-C reaches only the launcher. */
function spawnNode(command: NodeCommand): ChildProcess {
  return spawn(
    process.execPath,
    [...(command.nodeOptions ?? []), command.entry, ...(command.args ?? [])],
    {
      env: command.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

function followLines(child: ChildProcess, onLine: (line: string, isOutput: boolean) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) {
      createInterface({ input: stream }).on('line', (line) =>
        onLine(line, stream === child.stdout),
      );
    }
  }
}

function findEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    // `close` comes after the last line of output, `exit` may come before it.
    child.once('close', (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  });
}

function isReady(internalPort: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port: internalPort, path: '/health/ready', agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.setTimeout(answerWithinMs, () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

/**
 * Starts a process of services and waits until they listen and it reports that it is ready.
 *
 * @param command its entry and environment
 * @param signal ends the start
 * @throws LaunchFault if it ends before, or is not ready within two minutes
 */
export async function startServices(
  command: ServiceCommand,
  signal: AbortSignal,
): Promise<Running> {
  command.log.forgetLastLines();
  const child = spawnNode(command);
  const exited = findEnd(child);
  let ended: string | undefined;
  void exited.then((how) => {
    ended = how;
  });
  let listening: Listening | undefined;
  followLines(child, (line) => {
    command.log.append(line);
    listening ??= findListening(line, command.service);
  });
  const stop = async (): Promise<void> => {
    if (ended !== undefined) return;
    child.kill('SIGTERM');
    const killer = systemClock.after(drainPatienceMs, () => child.kill('SIGKILL'));
    await exited;
    killer.cancel();
  };
  const deadlineMs = systemClock.elapsedMs() + readyWithinMs;
  for (;;) {
    if (listening !== undefined && (await isReady(listening.internalPort))) break;
    if (ended === undefined && !signal.aborted && systemClock.elapsedMs() < deadlineMs) {
      await pause(systemClock, askEveryMs);
      continue;
    }
    const words = ended ?? `was not ready within ${readyWithinMs / 1000} s`;
    await stop();
    const lines = command.log.lastLines.slice(-6).map(describeLogLine);
    throw new LaunchFault([`${command.name} ${words}. Its last words:`, ...lines].join('\n  '));
  }
  return {
    pid: child.pid ?? 0,
    port: listening.port,
    exited,
    lastLines: command.log.lastLines,
    stop,
  };
}

/**
 * Runs a command of Parley to its end. Its output, which may contain passwords, is not logged.
 *
 * @param command its entry and environment
 * @param signal ends it
 * @returns its standard output
 * @throws LaunchFault with its last lines if it fails
 */
export async function runToEnd(command: NodeCommand, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const child = spawnNode(command);
  const exited = findEnd(child);
  const end = (): void => {
    child.kill('SIGTERM');
  };
  signal.addEventListener('abort', end, { once: true });
  const output: string[] = [];
  followLines(child, (line, isOutput) => {
    if (isOutput) output.push(line);
    else command.log.append(line);
  });
  const how = await exited;
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (child.exitCode !== 0) {
    const lines = command.log.lastLines.map(describeLogLine);
    throw new LaunchFault([`${command.name} ${how}:`, ...lines].join('\n  '));
  }
  return output.join('\n');
}
