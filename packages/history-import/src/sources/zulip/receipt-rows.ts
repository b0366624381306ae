/** Rows that say who got a message: up to dozens of millions, so they are kept as numbers, one file of messages at a time. */
import { flagBits } from '@parley/store';

import type { Ledger, Place } from '../../ledger.ts';
import type { Row } from '../../reading/row.ts';
import type { Receipts } from '../../records.ts';
import type { ZulipPeople } from './zulip-people.ts';

/** The flags that mean something here; the others follow from the message or belong to old clients. */
const keptBits =
  flagBits.read |
  flagBits.starred |
  flagBits.collapsed |
  flagBits.mentioned |
  flagBits.wildcard_mentioned |
  flagBits.has_alert_word |
  flagBits.historical;
/** Known, and dropped. */
const knownBits = 8_191;

const kind = 'zerver_usermessage';

export class ReceiptRows {
  readonly #people: ZulipPeople;
  readonly #ledger: Ledger;
  readonly #file: string;
  readonly #messages: number[] = [];
  readonly #persons: number[] = [];
  readonly #flags: number[] = [];
  /** The numbers of the rows of each message. */
  #rowsOf = new Map<number, number[]>();
  #imported = 0;

  constructor(people: ZulipPeople, ledger: Ledger, file: string) {
    this.#people = people;
    this.#ledger = ledger;
    this.#file = file;
  }

  add(row: Row, place: Place): void {
    const person = this.#people.indexOf(row.integer('user_profile'));
    if (person === undefined)
      return this.#ledger.skipped(kind, 'it refers to a person that is not in the archive', place);
    const flags = row.integer('flags_mask');
    if (flags > knownBits) this.#ledger.remark('flags of newer releases were dropped');
    this.#messages.push(row.integer('message'));
    this.#persons.push(person);
    this.#flags.push(flags & keptBits);
    return undefined;
  }

  /** Brings rows and messages together. @param messageIds of the file */
  sort(messageIds: readonly number[]): void {
    this.#rowsOf = new Map(messageIds.map((id) => [id, []]));
    this.#messages.forEach((message, n) => {
      const rows = this.#rowsOf.get(message);
      if (rows === undefined)
        this.#ledger.skipped(kind, 'it refers to a message that is not in its file', {
          file: this.#file,
          at: `message ${message}`,
        });
      else rows.push(n);
    });
  }

  /**
   * Takes the rows of a message.
   *
   * @param lacking people who should have got the message and may lack a row
   */
  take(messageId: number, lacking: readonly number[]): Receipts {
    const flags = new Map<number, number>();
    for (const n of this.#rowsOf.get(messageId) ?? []) {
      const person = this.#persons[n] ?? 0;
      const bits = this.#flags[n] ?? 0;
      const earlier = flags.get(person);
      if (earlier === undefined) this.#imported += 1;
      else
        this.#ledger.merged(kind, 'the person has two rows of the message', {
          file: this.#file,
          at: `message ${messageId}`,
        });
      flags.set(person, (earlier ?? 0) | bits);
    }
    this.#rowsOf.delete(messageId);
    for (const person of lacking) if (!flags.has(person)) flags.set(person, 0);
    return { people: [...flags.keys()], flags: [...flags.values()] };
  }

  /** Accounts for all rows after the messages took theirs. */
  reportRest(): void {
    this.#ledger.imported(kind, this.#imported);
    for (const [message, rows] of this.#rowsOf)
      this.#ledger.skippedMany(
        kind,
        'its message was not imported',
        { file: this.#file, at: `message ${message}` },
        rows.length,
      );
  }
}
