/**
 * Receipts that nobody has made yet. The reference server makes no rows of new stream messages for people who have not been there for long; it
 * makes them when they come back, from the log of who was in a stream when.
 */
import type { Ledger } from '../../ledger.ts';
import type { ZulipPeople } from './zulip-people.ts';
import type { ZulipStreams } from './zulip-streams.ts';

/** Somebody joined or left a stream: a row of the log of changes. */
export type MembershipChange = {
  readonly id: number;
  readonly person: number;
  readonly stream: number;
  readonly isJoin: boolean;
  /** The newest message before the change. */
  readonly lastMessageId: number;
  /** Unix time. */
  readonly at: number;
};

type OwnChange = Pick<MembershipChange, 'id' | 'isJoin' | 'lastMessageId'>;

/** What is kept of a change in the log, of people who were away for long, and for the check of the log. */
const changeBytes = 160;
const expectedBytes = 64;

export class MissingReceipts {
  /** By stream and person, for people who get messages later than they are sent. */
  readonly #changes = new Map<number, Map<number, OwnChange[]>>();
  readonly #people: ZulipPeople;
  readonly #streams: Pick<ZulipStreams, 'indexOf'>;
  readonly #ledger: Ledger;
  #isSorted = false;

  constructor(people: ZulipPeople, streams: Pick<ZulipStreams, 'indexOf'>, ledger: Ledger) {
    this.#people = people;
    this.#streams = streams;
    this.#ledger = ledger;
  }

  add({ id, person: oldPerson, stream: oldStream, isJoin, lastMessageId }: MembershipChange): void {
    const person = this.#people.indexOf(oldPerson);
    const stream = this.#streams.indexOf(oldStream);
    if (person === undefined || stream === undefined || !this.#people.idle.has(person)) return;
    this.#ledger.keep(0, changeBytes);
    const byPerson = this.#changes.get(stream) ?? new Map<number, OwnChange[]>();
    this.#changes.set(stream, byPerson);
    const own = byPerson.get(person);
    const change = { id, isJoin, lastMessageId };
    if (own === undefined) byPerson.set(person, [change]);
    else own.push(change);
  }

  /** @returns the people who may lack the receipt of a message, when all changes were added */
  peopleOf(stream: number, oldMessageId: number): number[] {
    this.#sort();
    const lacking: number[] = [];
    for (const [person, changes] of this.#changes.get(stream) ?? []) {
      const hasRowsUpTo = this.#people.idle.get(person) ?? 0;
      if (oldMessageId > hasRowsUpTo && wasMember(changes, oldMessageId)) lacking.push(person);
    }
    return lacking;
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#isSorted = true;
    for (const byPerson of this.#changes.values())
      for (const changes of byPerson.values())
        changes.sort((a, b) => a.lastMessageId - b.lastMessageId || a.id - b.id);
  }
}

/** Who has no change before the message, but leaves after it, was there from the beginning. */
function wasMember(changes: readonly OwnChange[], oldMessageId: number): boolean {
  const before = changes.findLast(({ lastMessageId }) => lastMessageId < oldMessageId);
  return before === undefined ? changes[0]?.isJoin === false : before.isJoin;
}

/** Dates and ids of messages differ from those of the log by less than this, unless the log is of another server. */
const dayInSecs = 86_400;

/** Finds out whether the log's message ids are of this archive: organizations that were moved bring the log of their first server. */
export class LogCheck {
  /** When the last change after a message was, by the message. */
  readonly #changedAt = new Map<number, number>();
  readonly #ledger: Ledger;
  isReliable = true;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  expect({ lastMessageId, at }: MembershipChange): void {
    if (!this.#changedAt.has(lastMessageId)) this.#ledger.keep(0, expectedBytes);
    this.#changedAt.set(lastMessageId, at);
  }

  /** Called for every message. */
  see(oldMessageId: number, sentAt: number): void {
    const changedAt = this.#changedAt.get(oldMessageId);
    // A change may be long after the newest message, but never before it.
    if (changedAt !== undefined && changedAt < sentAt - dayInSecs) this.isReliable = false;
  }
}
