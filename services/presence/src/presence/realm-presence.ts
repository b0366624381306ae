import { listedForMs, presenceJson } from '@parley/presence-state';
import type { ClientStates } from '@parley/presence-state';
import type { PresencePerson } from '@parley/store';

type Fragment = {
  readonly userId: number;
  readonly states: ClientStates;
  /** The address, if the person has presence. */
  readonly email: string | undefined;
  /** The time from which a client is left out. */
  readonly untilMs: number;
  /** `,"email":{…}`, or nothing. */
  readonly text: string;
};

/** The number of people whose bytes are made again when one of them changes. */
const peoplePerPart = 32;

const begin = Buffer.from('{');
const end = Buffer.from('}');

/**
 * Everybody's presence as JSON. A person's fragment is made once per change of it, and the bytes of a group of people once per change in
 * the group. Answers are joined from these bytes, because with 2,000 people an answer has half a megabyte, a third of all requests needs
 * one, and almost every one follows a change.
 */
export class RealmPresence {
  /** In the order of the states. */
  readonly #fragments: Fragment[] = [];
  /** The bytes of `peoplePerPart` fragments each; undefined if one of them changed. */
  readonly #parts: (Buffer | undefined)[] = [];
  #people: ReadonlyMap<number, PresencePerson> = new Map();

  /**
   * @param people a new map if an address or an activity changed
   * @returns the object `presences` (reference facts, events 4.2) in pieces of JSON, which must not be changed
   */
  pieces(
    states: ReadonlyMap<number, ClientStates>,
    people: ReadonlyMap<number, PresencePerson>,
    nowMs: number,
  ): readonly Buffer[] {
    const mayDiffer = people !== this.#people;
    this.#people = people;
    let index = 0;
    for (const [userId, known] of states) {
      const fragment = this.#fragments[index];
      if (
        fragment?.userId !== userId ||
        fragment.states !== known ||
        fragment.untilMs <= nowMs ||
        (mayDiffer && fragment.email !== emailOf(people.get(userId)))
      )
        this.#replace(index, makeFragment(userId, known, emailOf(people.get(userId)), nowMs));
      index += 1;
    }
    if (index < this.#fragments.length) this.#cut(index);
    const written = this.#parts
      .map((part, n) => part ?? this.#write(n))
      .filter(({ length }) => length > 0);
    const [first, ...others] = written;
    return first === undefined ? [begin, end] : [begin, first.subarray(1), ...others, end];
  }

  #replace(index: number, fragment: Fragment): void {
    this.#fragments[index] = fragment;
    this.#parts[Math.floor(index / peoplePerPart)] = undefined;
  }

  /** Called when fewer people than before have reported, because presence was read again. */
  #cut(count: number): void {
    this.#fragments.length = count;
    this.#parts.length = Math.ceil(count / peoplePerPart);
    this.#parts.fill(undefined);
  }

  #write(part: number): Buffer {
    const first = part * peoplePerPart;
    const fragments = this.#fragments.slice(first, first + peoplePerPart);
    const bytes = Buffer.from(fragments.map(({ text }) => text).join(''));
    this.#parts[part] = bytes;
    return bytes;
  }
}

function emailOf(person: PresencePerson | undefined): string | undefined {
  return person?.isShown === true ? person.email : undefined;
}

function makeFragment(
  userId: number,
  states: ClientStates,
  email: string | undefined,
  nowMs: number,
): Fragment {
  const sinceMs = nowMs - listedForMs;
  const times = [...states.values()].map(({ reportedAtMs }) => reportedAtMs);
  const listed = times.filter((reportedAtMs) => reportedAtMs >= sinceMs);
  const presence = email === undefined ? undefined : presenceJson(states, sinceMs);
  return {
    userId,
    states,
    email,
    untilMs: listed.length === 0 ? Infinity : Math.min(...listed) + listedForMs + 1,
    text: presence === undefined ? '' : `,${JSON.stringify(email)}:${JSON.stringify(presence)}`,
  };
}
