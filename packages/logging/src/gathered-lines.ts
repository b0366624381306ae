import type { DestinationStream } from 'pino';
import { pino } from 'pino';

/**
 * Standard output for log lines: those of one turn of the event loop go out together when it ends, since a busy process logs a line
 * per request and each write is a call into the system. A process that ends writes what it has; one that is killed loses the lines of
 * its last turn at most.
 */
export class GatheredLines implements DestinationStream {
  static #ofProcess: GatheredLines | undefined;

  readonly #output = pino.destination({ fd: 1, sync: true });
  #lines = '';

  /** @returns the one of this process, whose loggers share its standard output and one listener for its end */
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

  /** What the library calls itself after a line that says why the process ends. */
  flushSync(): void {
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#output.write(lines);
  }
}
