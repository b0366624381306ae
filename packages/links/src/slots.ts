/**
 * What is under way, by numbers. Arrays whose places are used again, because the tables that a Map or Set outgrew keep everything
 * alive that was ever in it until the next full garbage collection.
 */

/** More than are ever under way at once; a number is a slot and how often that was used before. */
const slotsMax = 2 ** 24;

/** What is under way by the numbers that somebody else gives. */
export class SlotTable<Value extends object> {
  readonly #values: (Value | undefined)[] = [];
  readonly #numbers: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /**
   * Puts what a number means in its slot.
   *
   * @throws RangeError where it is no number of a slot that is free
   */
  put(number: number, value: Value): void {
    const slot = number % slotsMax;
    if (!Number.isSafeInteger(number) || number < 0 || this.#values[slot] !== undefined)
      throw new RangeError(`${number} is no number of a slot that is free`);
    // Slots are used from the first on, so few are filled here, and the arrays stay without holes.
    while (this.#values.length < slot) {
      this.#numbers.push(this.#values.length);
      this.#values.push(undefined);
    }
    this.#values[slot] = value;
    this.#numbers[slot] = number;
    this.#size += 1;
  }

  /** @returns what has a number; undefined where it was taken out, or never put in */
  find(number: number): Value | undefined {
    const slot = number % slotsMax;
    return this.#numbers[slot] === number ? this.#values[slot] : undefined;
  }

  /** Takes out what has a number. @returns undefined where it was taken out before, or never put in */
  take(number: number): Value | undefined {
    const value = this.find(number);
    if (value === undefined) return undefined;
    this.#values[number % slotsMax] = undefined;
    this.#size -= 1;
    return value;
  }

  /** Gives all that are there; those that are taken out or put in meanwhile may or may not be among them. */
  *[Symbol.iterator](): Generator<Value> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** What is under way by numbers of its own, none of which is given twice. */
export class Slots<Value extends object> {
  readonly #table = new SlotTable<Value>();
  /** Numbers for slots that are free. */
  readonly #free: number[] = [];
  #slots = 0;

  get size(): number {
    return this.#table.size;
  }

  /** @returns the number by which it is found */
  add(value: Value): number {
    let number = this.#free.pop();
    if (number === undefined) {
      number = this.#slots;
      this.#slots += 1;
    }
    this.#table.put(number, value);
    return number;
  }

  /** @returns what has a number; undefined where it was taken out, or never given */
  find(number: number): Value | undefined {
    return this.#table.find(number);
  }

  /** Takes out what has a number. @returns undefined where it was taken out before, or never given */
  take(number: number): Value | undefined {
    const value = this.#table.take(number);
    if (value === undefined) return undefined;
    const next = number + slotsMax;
    // A slot whose numbers are used up is not used again.
    if (next <= Number.MAX_SAFE_INTEGER) this.#free.push(next);
    return value;
  }

  [Symbol.iterator](): Generator<Value> {
    return this.#table[Symbol.iterator]();
  }
}
