/**
 * Values by number, in arrays whose places are reused. A Map or Set would keep everything alive that was ever in its outgrown tables until
 * the next full garbage collection.
 */

/** More than are ever in use at once. A number consists of a slot and the count of its earlier uses. */
const slotsMax = 2 ** 24;

/** Values by numbers that the peer chooses. */
export class SlotTable<Value extends object> {
  readonly #values: (Value | undefined)[] = [];
  readonly #numbers: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /**
   * Stores a value in the slot of its number.
   *
   * @throws RangeError if the number does not belong to a free slot
   */
  put(number: number, value: Value): void {
    const slot = number % slotsMax;
    if (!Number.isSafeInteger(number) || number < 0 || this.#values[slot] !== undefined)
      throw new RangeError(`${number} is no number of a slot that is free`);
    // Slots are used from the first one on, so only few are filled here, and the arrays stay without holes.
    while (this.#values.length < slot) {
      this.#numbers.push(this.#values.length);
      this.#values.push(undefined);
    }
    this.#values[slot] = value;
    this.#numbers[slot] = number;
    this.#size += 1;
  }

  /** @returns the value of a number; undefined if it was removed or never stored */
  find(number: number): Value | undefined {
    const slot = number % slotsMax;
    return this.#numbers[slot] === number ? this.#values[slot] : undefined;
  }

  /** Removes the value of a number. @returns it, or undefined if it was already removed or never stored */
  take(number: number): Value | undefined {
    const value = this.find(number);
    if (value === undefined) return undefined;
    this.#values[number % slotsMax] = undefined;
    this.#size -= 1;
    return value;
  }

  /** Iterates over all values. Values added or removed meanwhile may or may not be included. */
  *[Symbol.iterator](): Generator<Value> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** Values by numbers that this table chooses. No number is used twice. */
export class Slots<Value extends object> {
  readonly #table = new SlotTable<Value>();
  /** The next numbers of free slots. */
  readonly #free: number[] = [];
  #slots = 0;

  get size(): number {
    return this.#table.size;
  }

  /** @returns the number of the value */
  add(value: Value): number {
    let number = this.#free.pop();
    if (number === undefined) {
      number = this.#slots;
      this.#slots += 1;
    }
    this.#table.put(number, value);
    return number;
  }

  /** @returns the value of a number; undefined if it was removed or never stored */
  find(number: number): Value | undefined {
    return this.#table.find(number);
  }

  /** Removes the value of a number. @returns it, or undefined if it was already removed or never stored */
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
