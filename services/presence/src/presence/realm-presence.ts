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

/**
 * The presence of everybody as JSON text. A person's part is made once for each change of it, and the answers are put together
 * from the parts: with 2,000 people an answer is half a megabyte, and a third of all requests wants one.
 */
export class RealmPresence {
  readonly #fragments = new Map<number, Fragment>();

  /** @returns the object `presences` (reference facts, events 4.2) */
  text(
    states: ReadonlyMap<number, ClientStates>,
    people: ReadonlyMap<number, PresencePerson>,
    nowMs: number,
  ): string {
    const texts: string[] = [];
    for (const [userId, known] of states) {
      const person = people.get(userId);
      if (person?.isShown !== true) continue;
      let fragment = this.#fragments.get(userId);
      if (
        fragment === undefined ||
        fragment.states !== known ||
        fragment.email !== person.email ||
        fragment.untilMs <= nowMs
      ) {
        fragment = makeFragment(known, person.email, nowMs);
        this.#fragments.set(userId, fragment);
      }
      if (fragment.text !== '') texts.push(fragment.text);
    }
    return `{${texts.join(',')}}`;
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
