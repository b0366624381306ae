import { UnableToRender } from './render-context.ts';

/**
 * One step is about one character looked at by one rule, which takes some 5 ns: all steps together some 50 ms. An ordinary
 * message of ten thousand characters takes less than half a million.
 */
const stepsMax = 10_000_000;

/**
 * What one rendering may cost, counted instead of timed so that the same message is always refused or never. Every rule pays
 * for the text that it looks at, and one whose cost could be the square of the text pays for what it really looked at.
 */
export class StepBudget {
  #left = stepsMax;

  /** @throws UnableToRender when the rendering has used up its steps */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new UnableToRender('it takes too many steps');
  }

  /** Steps spent so far, for tests of what messages cost. */
  get spent(): number {
    return stepsMax - this.#left;
  }
}
