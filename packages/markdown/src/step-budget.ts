/**
 * One step is about one character looked at by one rule, which takes some 5 ns: all steps together some 50 ms. An ordinary
 * message of ten thousand characters takes less than half a million.
 */
const stepsMax = 10_000_000;

/** A rendering goes beyond what it may take. Such a text is rendered more plainly. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/**
 * What one rendering may cost, counted instead of timed so that the same message always looks the same. Every rule pays
 * for the text that it looks at, and one whose cost could be the square of the text pays for what it really looked at.
 */
export class StepBudget {
  readonly #max: number;
  #left: number;

  constructor(max: number = stepsMax) {
    this.#max = max;
    this.#left = max;
  }

  /** @throws TooMuch when the rendering has used up its steps */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuch('it takes too many steps');
  }

  /** Steps spent so far, for tests of what messages cost. */
  get spent(): number {
    return this.#max - this.#left;
  }
}

/** How far a rendering goes. */
export type Effort = {
  readonly budget: StepBudget;
  /**
   * Whether what makes far more HTML than it has text stays text: emoji, linkifiers, formulas, and the colours of code.
   */
  readonly isSparing: boolean;
};
