/**
 * One step is about one character that one rule looks at, which takes some 5 ns: all steps together some 50 ms. An ordinary message of ten
 * thousand characters takes less than half a million.
 */
const stepsMax = 10_000_000;

/** A rendering exceeds its budget. Such a text is rendered more plainly. */
export class StepsExceeded extends Error {
  override readonly name = 'StepsExceeded';
}

/**
 * The cost of one rendering, counted instead of timed so that the same message always has the same result. Every rule pays for the text
 * that it looks at. A rule whose cost could be the square of the text pays for the characters that it actually looked at.
 */
export class StepBudget {
  readonly #max: number;
  #left: number;

  constructor(max: number = stepsMax) {
    this.#max = max;
    this.#left = max;
  }

  /** @throws StepsExceeded if the rendering has used up its steps */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsExceeded('it takes too many steps');
  }

  /** Steps spent so far, for tests of what messages cost. */
  get spent(): number {
    return this.#max - this.#left;
  }
}

/** The extent of a rendering. */
export type RenderEffort = {
  readonly budget: StepBudget;
  /**
   * Whether syntax that makes far more HTML than its text stays text: emoji, linkifiers, formulas, and the colours of code.
   */
  readonly isPlain: boolean;
};
