import { isAnswerFault } from './answer-faults.ts';

const outputLinesMax = 200;
const faultLinesMax = 100;
const faultLevels = ['"level":"error"', '"level":"fatal"'];

/** What is kept of the lines that a node writes. */
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

  /** Gives every line from here on to a watcher. */
  watch(watch: (line: string) => void): void {
    this.#watch = watch;
  }

  /** Keeps a line of the log. */
  addLogged(line: string): void {
    this.#add(line);
    if (faultLevels.some((level) => line.includes(level))) this.#addFault(line);
  }

  /** Keeps a line that came beside the log, which no node writes in good order. */
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
