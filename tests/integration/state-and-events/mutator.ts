/** Several people change things concurrently, without a pause; counts the changes made while a register was pending. */
import { operations } from './operations.ts';
import type { Operation } from './operations.ts';
import type { World } from './world.ts';

export type Tally = { done: number; duringRegister: number; failed: number };

export class Mutator {
  readonly tallies = new Map<string, Tally>(
    operations.map(({ name }) => [name, { done: 0, duringRegister: 0, failed: 0 }]),
  );
  readonly #world: World;
  readonly #hands: number;
  /** Pending registers, and the number of registers started so far. */
  #underWay = 0;
  #begun = 0;
  #busy: Promise<void>[] = [];
  #isRunning = false;

  /** @param hands how many changes run at a time */
  constructor(world: World, hands: number) {
    this.#world = world;
    this.#hands = hands;
  }

  /** Counts the register as pending until it is answered. */
  async duringRegister<Answer>(register: () => Promise<Answer>): Promise<Answer> {
    this.#underWay += 1;
    this.#begun += 1;
    try {
      return await register();
    } finally {
      this.#underWay -= 1;
    }
  }

  start(): void {
    this.#isRunning = true;
    this.#busy = Array.from({ length: this.#hands }, () => this.#work());
  }

  /** Resolves when every started change is answered. */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#busy);
  }

  async #work(): Promise<void> {
    while (this.#isRunning) await this.runOne(this.#choose());
  }

  /** Prefers the operation with the fewest attempts, so that every operation is made often. */
  #choose(): Operation {
    const { random } = this.#world;
    const some = random.sample(operations, 6);
    const fewest = some.toSorted((a, b) => this.#attempts(a) - this.#attempts(b))[0];
    return fewest ?? random.pick(operations);
  }

  #attempts({ name }: Operation): number {
    const tally = this.tallies.get(name);
    return tally === undefined ? 0 : tally.duringRegister + tally.failed / 4;
  }

  async runOne(operation: Operation): Promise<void> {
    const begunBefore = this.#begun;
    const wasUnderWay = this.#underWay > 0;
    const isDone = await operation.run(this.#world);
    const tally = this.tallies.get(operation.name);
    if (tally === undefined) return;
    if (!isDone) tally.failed += 1;
    else {
      tally.done += 1;
      if (wasUnderWay || this.#begun > begunBefore) tally.duringRegister += 1;
    }
  }
}
