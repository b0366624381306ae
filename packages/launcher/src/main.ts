/**
 * `npm start` runs this on the pinned Node: a whole Parley on this machine. Progress goes to standard error, requested output to standard
 * output.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { StoreFault } from './local-stores/index.ts';

import { LaunchFault } from './launch-fault.ts';
import { Launch } from './launch.ts';
import { openInBrowser } from './open-in-browser.ts';
import { parseOptions, usage } from './options.ts';
import { describeReady, describeReadyAsJson } from './summary.ts';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

// The exit status that a shell shows for a command ended by Ctrl-C.
const interruptedCode = 130;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function printFault(error: unknown): void {
  const isExpected = error instanceof LaunchFault || error instanceof StoreFault;
  const words = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
  say(`\n${words ?? ''}`);
}

async function run(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.cwd());
  if (options === undefined) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  let isReady = false;
  const stopping = new AbortController();
  const ended = Promise.withResolvers<number>();
  const stop = (code: number): void => {
    ended.resolve(code);
    stopping.abort();
  };
  // A terminal's Ctrl-C may arrive more than once, from the terminal and from npm. Only the first counts, because every step of stopping
  // has its own time limit.
  const onSignal = (): void => {
    if (!stopping.signal.aborted) say('\nStopping ...');
    stop(isReady ? 0 : interruptedCode);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // After any fault here, everything that was started must be stopped.
  process.on('uncaughtException', (error) => {
    printFault(error);
    stop(1);
  });
  // A closed terminal, or a reader that is gone, does not end the running processes.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // The command that started this process is gone and passed on no signal.
  process.on('disconnect', () => stop(1));
  const launch = new Launch({
    options,
    env: process.env,
    root,
    signal: stopping.signal,
    say,
    giveUp: (fault) => {
      printFault(fault);
      stop(1);
    },
  });
  try {
    const launched = await Promise.race([
      launch.start(),
      ended.promise.then((): never => {
        throw new LaunchFault('Stopped before everything was ready.');
      }),
    ]);
    isReady = true;
    process.stdout.write(
      options.json
        ? `${JSON.stringify(describeReadyAsJson(launched))}\n`
        : describeReady(launched, options.dataDir),
    );
    const { url } = launched;
    if (options.open)
      openInBrowser(url, () => say(`There is no program that opens ${url}; open it yourself.`));
    await ended.promise;
  } catch (error) {
    if (!stopping.signal.aborted) printFault(error);
    stop(1);
  }
  if (await launch.stop()) say('Stopped.');
  return ended.promise;
}

try {
  process.exitCode = await run();
} catch (error) {
  printFault(error);
  process.exitCode = 1;
}
if (process.connected) process.disconnect?.();
