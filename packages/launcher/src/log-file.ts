import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

// Each process has at most two files of this size.
const bytesMax = 16 * 1024 * 1024;
const tailLinesMax = 12;

/** The log of one process: a file with one predecessor, both bounded, and its last lines in memory. */
export class LogFile {
  readonly path: string;
  readonly #tail: string[] = [];
  #descriptor: number;
  #bytes: number;

  constructor(folder: string, name: string) {
    this.path = join(folder, `${name}.log`);
    this.#descriptor = openSync(this.path, 'a', 0o600);
    this.#bytes = fstatSync(this.#descriptor).size;
  }

  get lastLines(): readonly string[] {
    return this.#tail;
  }

  /** Forgets the lines that a message about the end may quote, because the process is started again. */
  forgetLastLines(): void {
    this.#tail.length = 0;
  }

  append(line: string): void {
    this.#tail.push(line);
    if (this.#tail.length > tailLinesMax) this.#tail.shift();
    if (this.#bytes > bytesMax) {
      closeSync(this.#descriptor);
      renameSync(this.path, `${this.path}.1`);
      this.#descriptor = openSync(this.path, 'a', 0o600);
      this.#bytes = 0;
    }
    this.#bytes += writeSync(this.#descriptor, `${line}\n`);
  }
}

/**
 * Makes one line of a JSON log readable: its message and the text of its error.
 *
 * @param line a line that may be JSON
 */
export function describeLogLine(line: string): string {
  try {
    const value = JSON.parse(line) as unknown;
    if (typeof value !== 'object' || value === null || !('msg' in value)) return line;
    const error = 'err' in value ? value.err : undefined;
    const words =
      typeof error === 'object' && error !== null && 'message' in error
        ? `: ${String(error.message)}`
        : '';
    return `${String(value.msg)}${words}`;
  } catch {
    return line;
  }
}
