/** Who got messages, and with which flags: by the source's rows, or by who is a member. */
import { flagBits } from '@parley/store';
import type { FlagName } from '@parley/store';
import type { ImportedFlags } from '@parley/store/imports';

import { streamOf, userIdOf } from './loaded-directory.ts';
import type { LoadedDirectory } from './loaded-directory.ts';
import type { PreparedMessage } from './prepare-messages.ts';
import { ReceiptRuns } from './receipt-runs.ts';

const bit = (flag: FlagName): number => flagBits[flag];

export class MessageReceipts {
  readonly runs = new ReceiptRuns();
  readonly #directory: LoadedDirectory;

  constructor(directory: LoadedDirectory) {
    this.#directory = directory;
  }

  /** Notes who got the message. @returns the flags that do not follow from it */
  receive(message: PreparedMessage, conversationId: number): ImportedFlags[] {
    return this.#directory.hasReceipts
      ? this.#receiveByRows(message, conversationId)
      : this.#receiveByMembership(message);
  }

  #receiveByRows(message: PreparedMessage, conversationId: number): ImportedFlags[] {
    const { record, number, text } = message;
    const { canHold } = this.#directory;
    const scope =
      'stream' in record.to ? streamOf(this.#directory, record.to.stream).id : -conversationId;
    const implied = text.mentionsWildcard ? bit('wildcard_mentioned') : 0;
    const flags: ImportedFlags[] = [];
    const { people = [], flags: bits = [] } = record.receipts ?? {};
    for (let n = 0; n < people.length; n += 1) {
      const person = people[n] ?? 0;
      if (canHold[person] !== true) continue;
      const own = bits[n] ?? 0;
      const userId = userIdOf(this.#directory, person);
      this.runs.add(userId, scope, number, (own & bit('read')) !== 0);
      const setBits = own & ~bit('read') & ~implied;
      const clearedBits = implied & ~own;
      if ((setBits | clearedBits) !== 0)
        flags.push({ userId, messageId: number.id, setBits, clearedBits });
    }
    // Everybody holds the private messages of a conversation; without a row they were never unread.
    if ('participants' in record.to)
      for (const person of record.to.participants)
        if (canHold[person] === true && !people.includes(person))
          this.runs.add(userIdOf(this.#directory, person), scope, number, true);
    return flags;
  }

  #receiveByMembership({ record, number, text }: PreparedMessage): ImportedFlags[] {
    const members =
      'stream' in record.to
        ? this.#directory.streams.members[record.to.stream]
        : new Set(record.to.participants.map((person) => userIdOf(this.#directory, person)));
    const bits = new Map<number, number>();
    for (const userId of text.mentionedUserIds)
      if (members?.has(userId) === true) bits.set(userId, bit('mentioned'));
    for (const person of record.starredBy ?? []) {
      const userId = userIdOf(this.#directory, person);
      if (members?.has(userId) === true) bits.set(userId, (bits.get(userId) ?? 0) | bit('starred'));
    }
    return [...bits].map(([userId, setBits]) => ({
      userId,
      messageId: number.id,
      setBits,
      clearedBits: 0,
    }));
  }
}
