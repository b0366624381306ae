import { BatchedReads } from '@parley/database';
import type { Pool } from '@parley/database';
import { readNewestAccountChange } from '@parley/event-log';
import { listPresencePeople } from '@parley/store';
import type { PresencePerson } from '@parley/store';

type People = Map<number, PresencePerson>;

/**
 * The people with presence, and their shown addresses. Each answer is exact as of the call: every call asks Postgres whether an account
 * changed, and reads the list only if one did.
 */
export class PeopleList {
  readonly #pool: Pool;
  readonly #checks: BatchedReads<'people', People>;
  #people: People = new Map();
  /** The newest change that the list includes; undefined if it must be read again. */
  #knownPosition: number | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#checks = new BatchedReads(async () => new Map([['people', await this.#check()]]), {
      keysPerRead: 1,
      readsAtOnce: 1,
    });
  }

  /** @param known the ids that the list must include; if one is missing, the list is read again */
  async get(known: ReadonlyMap<number, unknown>): Promise<ReadonlyMap<number, PresencePerson>> {
    await this.#checks.find('people');
    if (!this.#hasAll(known)) {
      this.#knownPosition = undefined;
      await this.#checks.find('people');
      // Everyone who reported has an account. If one was deleted, its id must not cause a read at every call.
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
