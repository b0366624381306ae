import { BatchedReads } from '@parley/database';
import type { Pool } from '@parley/database';
import { readNewestAccountChange } from '@parley/event-log';
import { listPresencePeople } from '@parley/store';
import type { PresencePerson } from '@parley/store';

type People = Map<number, PresencePerson>;

/**
 * Who has presence, and by which address it is shown. Each answer is as Postgres has it at the call; all that is read there is whether an
 * account has changed, and the list only where one has.
 */
export class PeopleList {
  readonly #pool: Pool;
  readonly #checks: BatchedReads<'people', People>;
  #people: People = new Map();
  /** The newest change that the list knows of; undefined where it has to be read again. */
  #knownPosition: number | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#checks = new BatchedReads(async () => new Map([['people', await this.#check()]]), {
      keysPerRead: 1,
      readsAtOnce: 1,
    });
  }

  /** @param known by ids that the list must have; accounts that are not there are asked for again */
  async get(known: ReadonlyMap<number, unknown>): Promise<ReadonlyMap<number, PresencePerson>> {
    await this.#checks.find('people');
    if (!this.#hasAll(known)) {
      this.#knownPosition = undefined;
      await this.#checks.find('people');
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

  async #check(): Promise<People> {
    const position = await readNewestAccountChange(this.#pool);
    if (position === this.#knownPosition) return this.#people;
    const people = await listPresencePeople(this.#pool);
    this.#people = new Map(people.map((person) => [person.id, person]));
    this.#knownPosition = position;
    return this.#people;
  }
}
