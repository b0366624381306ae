import { listedForMs, presenceJson } from '@parley/presence-state';
import type { ClientStates } from '@parley/presence-state';
import type { PresencePerson } from '@parley/store';

type Fragment = {
  readonly userId: number;
  readonly states: ClientStates;
  /** The address, of whoever has presence. */
  readonly email: string | undefined;
  /** From then on a client is left out. */
  readonly untilMs: number;
  /** `,"email":{…}`, or nothing. */
  readonly text: string;
};

/** So many people are written anew when one of them is. */
const peoplePerPart = 32;

const begin = Buffer.from('{');
const end = Buffer.from('}');

/**
 * The presence of everybody as JSON. A person's fragment is made once for each change of it, and the bytes of some people together
 * once for each change of one of them; answers are put together from these: with 2,000 people an answer is half a megabyte, a third of
 * all requests wants one, and hardly one comes without a change since the last.
 */
export class RealmPresence {
  /** In the order of the states. */
  readonly #fragments: Fragment[] = [];
  /** The bytes of `peoplePerPart` fragments each; undefined where one of them is another now. */
  readonly #parts: (Buffer | undefined)[] = [];
  #people: ReadonlyMap<number, PresencePerson> = new Map();

  /**
   * @param people another map than before where an address or an activity is another
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

  /** Fewer people than before have reported: presence was read anew. */
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
