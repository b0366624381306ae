/**
 * Messages that people were owed. The reference server makes no rows of new stream messages for people who have not been there for long; it
 * makes them when they come back, from the log of who was in a stream when.
 */
import type { ZulipPeople } from './zulip-people.ts';
import type { ZulipStreams } from './zulip-streams.ts';
import type { MembershipChange } from './zulip-tables.ts';

type Owing = {
  readonly person: number;
  /** Messages up to this one have rows. */
  readonly after: number;
  /** In order. */
  readonly changes: readonly MembershipChange[];
};

export class OwedMessages {
  readonly #byStream = new Map<number, Owing[]>();

  constructor(
    changes: readonly MembershipChange[],
    people: ZulipPeople,
    streams: Pick<ZulipStreams, 'indexOf'>,
  ) {
    const byPair = Map.groupBy(
      changes.filter(({ person }) => people.idle.has(people.indexOf(person) ?? -1)),
      ({ person, stream }) => `${person} ${stream}`,
    );
    for (const [, pair] of byPair) {
      const [first] = pair;
      const person = people.indexOf(first?.person ?? -1);
      const stream = streams.indexOf(first?.stream ?? -1);
      if (person === undefined || stream === undefined) continue;
      const ordered = pair.toSorted((a, b) => a.lastMessageId - b.lastMessageId || a.id - b.id);
      const owing = { person, after: people.idle.get(person) ?? 0, changes: ordered };
      this.#byStream.set(stream, [...(this.#byStream.get(stream) ?? []), owing]);
    }
  }

  /** @returns the people who are owed a message; some of them may have got it */
  peopleOf(stream: number, oldMessageId: number): number[] {
    const owing = this.#byStream.get(stream);
    if (owing === undefined) return [];
    return owing
      .filter(({ after, changes }) => oldMessageId > after && wasMember(changes, oldMessageId))
      .map(({ person }) => person);
  }
}

/** Who has no change before the message, but leaves after it, was there from the beginning. */
function wasMember(changes: readonly MembershipChange[], oldMessageId: number): boolean {
  const before = changes.findLast(({ lastMessageId }) => lastMessageId < oldMessageId);
  return before === undefined ? changes[0]?.isJoin === false : before.isJoin;
}

/** Dates and ids of messages differ from those of the log by less than this, unless the log is of another server. */
const dayInSecs = 86_400;

/** Finds out whether the log's message ids are of this archive: organizations that were moved bring the log of their first server. */
export class LogCheck {
  readonly #expected: ReadonlyMap<number, number>;
  isReliable = true;

  constructor(changes: readonly MembershipChange[]) {
    this.#expected = new Map(changes.map(({ lastMessageId, at }) => [lastMessageId, at]));
  }

  /** Called for every message. */
  see(oldMessageId: number, sentAt: number): void {
    const changedAt = this.#expected.get(oldMessageId);
    // A change may be long after the newest message, but never before it.
    if (changedAt !== undefined && changedAt < sentAt - dayInSecs) this.isReliable = false;
  }
}
