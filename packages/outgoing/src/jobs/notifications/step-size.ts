/** How much a repeated step takes on, so that each fits a duration however busy the machine is: by what the last step took. */
export class StepSize {
  readonly #options: { readonly least: number; readonly most: number; readonly fittingMs: number };
  #size: number;

  constructor(options: {
    readonly least: number;
    readonly most: number;
    readonly fittingMs: number;
  }) {
    this.#options = options;
    this.#size = options.least;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Fits the next step to one that ended. It grows to twice the size at most, because a short step says little about a long one.
   *
   * @param done how much of the size there was to do
   */
  fit(done: number, tookMs: number): void {
    this.#set(tookMs === 0 ? Infinity : Math.floor((done * this.#options.fittingMs) / tookMs));
  }

  /** After a step that failed, perhaps because it took too long. */
  shrink(): void {
    this.#set(Math.floor(this.#size / 2));
  }

  #set(fitting: number): void {
    const { least, most } = this.#options;
    this.#size = Math.max(least, Math.min(most, 2 * this.#size, fitting));
  }
}
