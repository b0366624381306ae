import type { DestinationStream } from 'pino';
import { pino } from 'pino';

/**
 * Standard output for log lines. The lines of one turn of the event loop are written together at its end, because a busy process logs a
 * line per request and each write is a system call. A process that ends writes what it has; a killed one loses at most the lines of its
 * last turn.
 */
export class GatheredLines implements DestinationStream {
  static #ofProcess: GatheredLines | undefined;

  readonly #output = pino.destination({ fd: 1, sync: true });
  #lines = '';

  /** @returns the destination of this process. All its loggers share standard output and one listener for the end */
  static ofProcess(): GatheredLines {
    GatheredLines.#ofProcess ??= new GatheredLines();
    return GatheredLines.#ofProcess;
  }

  private constructor() {
    process.once('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#lines === '') setImmediate(() => this.flushSync());
    this.#lines += line;
  }

  /** The library calls this after a line that says why the process ends. */
  flushSync(): void {
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#output.write(lines);
  }
}
