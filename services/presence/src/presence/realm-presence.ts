import { listedForMs, presenceJson } from '@parley/presence-state';
import type { ClientStates } from '@parley/presence-state';
import type { PresencePerson } from '@parley/store';

type Fragment = {
  readonly states: ClientStates;
  readonly email: string;
  /** From then on a client is left out. */
  readonly untilMs: number;
  /** `"email":{…}`, or nothing. */
  readonly text: string;
};

/** Some people that follow one another, and their fragments as bytes with a comma before each. */
type Part = { readonly fragments: readonly Fragment[]; readonly bytes: Buffer };

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
  readonly #fragments = new Map<number, Fragment>();
  #parts: readonly Part[] = [];

  /** @returns the object `presences` (reference facts, events 4.2) in pieces of JSON, which must not be changed */
  pieces(
    states: ReadonlyMap<number, ClientStates>,
    people: ReadonlyMap<number, PresencePerson>,
    nowMs: number,
  ): readonly Buffer[] {
    const parts: Part[] = [];
    let fragments: Fragment[] = [];
    for (const [userId, known] of states) {
      const person = people.get(userId);
      if (person?.isShown !== true) continue;
      fragments.push(this.#fragment(userId, known, person.email, nowMs));
      if (fragments.length < peoplePerPart) continue;
      parts.push(this.#part(parts.length, fragments));
      fragments = [];
    }
    if (fragments.length > 0) parts.push(this.#part(parts.length, fragments));
    this.#parts = parts;
    const [first, ...others] = parts.map(({ bytes }) => bytes).filter(({ length }) => length > 0);
    return first === undefined ? [begin, end] : [begin, first.subarray(1), ...others, end];
  }

  #fragment(userId: number, states: ClientStates, email: string, nowMs: number): Fragment {
    const known = this.#fragments.get(userId);
    if (known?.states === states && known.email === email && known.untilMs > nowMs) return known;
    const made = makeFragment(states, email, nowMs);
    this.#fragments.set(userId, made);
    return made;
  }

  #part(index: number, fragments: readonly Fragment[]): Part {
    const known = this.#parts[index];
    const isSame =
      known?.fragments.length === fragments.length &&
      fragments.every((fragment, n) => known.fragments[n] === fragment);
    if (isSame) return known;
    const texts = fragments.map(({ text }) => (text === '' ? '' : `,${text}`));
    return { fragments, bytes: Buffer.from(texts.join('')) };
  }
}

function makeFragment(states: ClientStates, email: string, nowMs: number): Fragment {
  const sinceMs = nowMs - listedForMs;
  const times = [...states.values()].map(({ reportedAtMs }) => reportedAtMs);
  const listed = times.filter((reportedAtMs) => reportedAtMs >= sinceMs);
  const presence = presenceJson(states, sinceMs);
  return {
    states,
    email,
    untilMs: listed.length === 0 ? Infinity : Math.min(...listed) + listedForMs + 1,
    text: presence === undefined ? '' : `${JSON.stringify(email)}:${JSON.stringify(presence)}`,
  };
}
