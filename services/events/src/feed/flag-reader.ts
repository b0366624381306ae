import type { Pool } from '@parley/database';
import { listFlagsOfHolders, namesOfFlags } from '@parley/store';

type Question = {
  readonly userId: number;
  readonly messageId: number;
  readonly answer: (flags: string[]) => void;
  readonly fail: (error: unknown) => void;
};

// One statement stays far below the time that a poll may take.
const questionsPerStatement = 1_000;

/**
 * Reads the flags that people see on messages. What many polls ask in one moment, when a message is edited before a large
 * audience, goes to Postgres together.
 */
export class FlagReader {
  readonly #pool: Pool;
  #waiting: Question[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @returns the names of the flags, lowest bit first; none when there is no such message any more */
  of(userId: number, messageId: number): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ userId, messageId, answer: resolve, fail: reject });
      if (this.#waiting.length === 1) setImmediate(() => void this.#ask());
    });
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < asked.length; start += questionsPerStatement) {
      const questions = asked.slice(start, start + questionsPerStatement);
      try {
        const bits = await listFlagsOfHolders(this.#pool, questions);
        questions.forEach(({ answer }, index) => answer(namesOfFlags(bits[index] ?? 0)));
      } catch (error) {
        for (const { fail } of questions) fail(error);
      }
    }
  }
}
