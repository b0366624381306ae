/**
 * The process that decodes pictures, one at a time. It ends itself if a picture exceeds its limits, because nothing else bounds the memory
 * of a native library, and when its service is gone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

import { systemClock } from '@parley/clock';

import type {
  DecoderLimits,
  DecoderOutcome,
  DecoderReport,
  DecoderTask,
} from './decoder-messages.ts';
import { makeImages } from './make-images.ts';
import { UnusableImage } from './open-image.ts';

/** Memory can grow by some megabytes between two checks. */
const watchIntervalMs = 5;

/** At once, whatever the library is doing. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The most resident memory that this process ever had, as Linux counts it; elsewhere what it has now. */
function readPeakMemoryBytes(): number {
  try {
    const [, kibibytes] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kibibytes !== undefined) return Number(kibibytes) * 1_024;
  } catch {
    // On such a system a peak between two checks is not seen.
  }
  return process.memoryUsage.rss();
}

/** @returns a function that checks once more, because a busy machine may let a whole picture pass between two checks, and ends the watch */
function watch({ memoryMaxBytes, processorMaxMs }: DecoderLimits): () => void {
  const before = process.cpuUsage();
  const check = (): void => {
    const { user, system } = process.cpuUsage(before);
    const isWithin =
      readPeakMemoryBytes() <= memoryMaxBytes && (user + system) / 1_000 <= processorMaxMs;
    if (!isWithin) end();
  };
  const timer = systemClock.every(watchIntervalMs, check);
  return () => {
    timer.cancel();
    check();
  };
}

async function answer({ content, wanted, limits }: DecoderTask): Promise<DecoderOutcome> {
  const endWatch = watch(limits);
  try {
    return { kind: 'made', images: await makeImages(content, wanted) };
  } catch (error) {
    if (error instanceof UnusableImage) return { kind: 'unusable', fault: error.fault };
    throw error;
  } finally {
    endWatch();
  }
}

function report(value: DecoderReport): void {
  process.send?.(value);
}

/** If memory is short, Linux ends this process and not its service. Other systems have no such file. */
function preferForMemoryKill(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // On such a system it keeps the ordinary priority.
  }
}

preferForMemoryKill();
// Requests that need only a moment of the processor go before pictures.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// A terminal signals the whole group. The service finishes its work first, and then ends this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', end);
process.on('message', (task: DecoderTask) => {
  void answer(task).then((outcome) =>
    report({ ...outcome, memoryBytes: process.memoryUsage.rss() }),
  );
});
report({ kind: 'ready' });
