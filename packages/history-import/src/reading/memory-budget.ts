import { ImportFault } from '../import-fault.ts';

const mebibyte = 1024 * 1024;

/** What may be held in memory at once, by estimates. */
export class MemoryBudget {
  readonly #what: string;
  readonly #bytesMax: number;
  #bytes = 0;

  /** @param what for faults: what is held */
  constructor(what: string, bytesMax: number) {
    this.#what = what;
    this.#bytesMax = bytesMax;
  }

  /** @throws ImportFault if it is more than there may be */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax)
      throw new ImportFault(
        `${this.#what} would take more than ${this.#bytesMax / mebibyte} MiB of memory`,
      );
  }
}
