import type { Pool } from '@parley/database';
import { listPresencePeople } from '@parley/store';
import type { PresencePerson } from '@parley/store';

/** How old the list of people may be for an answer to a report: one is given for each of a third of all requests. */
const keptMs = 1_000;

/** Who has presence, and by which address it is shown; read from Postgres about once a second at most. */
export class PeopleList {
  readonly #pool: Pool;
  #people: Map<number, PresencePerson> = new Map();
  #readAtMs = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * @param known by ids that the list must have, whatever its age; accounts that are not there are asked for again
   * @param maxAgeMs 0 for a list that is read after the call
   */
  async get(
    known: ReadonlyMap<number, unknown>,
    maxAgeMs = keptMs,
  ): Promise<ReadonlyMap<number, PresencePerson>> {
    const isOld = performance.now() - this.#readAtMs >= maxAgeMs;
    if (isOld || !this.#hasAll(known)) {
      // A list that is being read already may be older than the call.
      if (maxAgeMs === 0) await this.#reading;
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
      // Whoever reported has an account; should it be gone, nobody asks for it again before the next reading.
      for (const id of known.keys())
        if (!this.#people.has(id)) this.#people.set(id, { id, email: '', isShown: false });
    }
    return this.#people;
  }

  #hasAll(known: ReadonlyMap<number, unknown>): boolean {
    for (const id of known.keys()) if (!this.#people.has(id)) return false;
    return true;
  }

  async #read(): Promise<void> {
    const readAtMs = performance.now();
    const people = await listPresencePeople(this.#pool);
    this.#people = new Map(people.map((person) => [person.id, person]));
    this.#readAtMs = readAtMs;
  }
}
