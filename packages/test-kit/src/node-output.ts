import { isAnswerFault } from './answer-faults.ts';

const outputLinesMax = 200;
const faultLinesMax = 100;
const faultLevels = ['"level":"error"', '"level":"fatal"'];

/** The most lines of a node that are kept. */
export class NodeOutput {
  readonly #lines: string[] = [];
  readonly #faultLines: string[] = [];
  readonly #answerFaults = new Set<string>();
  #watch: ((line: string) => void) | undefined;

  get lines(): readonly string[] {
    return this.#lines;
  }

  get faultLines(): readonly string[] {
    return this.#faultLines;
  }

  get answerFaults(): readonly string[] {
    return [...this.#answerFaults];
  }

  /** Gives every later line to a watcher. */
  watch(watch: (line: string) => void): void {
    this.#watch = watch;
  }

  /** Keeps a line of the log. */
  addLogged(line: string): void {
    this.#add(line);
    if (faultLevels.some((level) => line.includes(level))) this.#addFault(line);
  }

  /** Keeps a line outside of the log, which a node in good order never writes. */
  addFault(line: string): void {
    this.#add(line);
    this.#addFault(line);
  }

  #add(line: string): void {
    this.#watch?.(line);
    this.#lines.push(line);
    if (this.#lines.length > outputLinesMax) this.#lines.shift();
  }

  #addFault(line: string): void {
    if (isAnswerFault(line)) this.#answerFaults.add(line);
    if (this.#faultLines.length < faultLinesMax) this.#faultLines.push(line);
  }
}
