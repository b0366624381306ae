import {
  compressedMinBytes,
  deflatePiece,
  gzipMember,
  joinChecksums,
  noBytes,
  storedPiece,
} from '@parley/compression';
import type { Checksum, DeflatedPiece } from '@parley/compression';
import { cutAt, keepBytes } from '@parley/links';
import { listedForMs, presenceJson, serverTimestamp } from '@parley/presence-state';
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

/** So many people are written anew when one of them is, and one of an answer's own is written so for it alone. */
const peoplePerPart = 32;

/** What is compressed by itself takes hardly less of a higher level. */
const level = 1;

const end = Buffer.from('}}');
const storedEnd = storedPiece(end);

/** The parts of one moment in one form, one after the other, in bytes that cross a link once. */
type Joined = {
  readonly bytes: readonly Buffer[];
  /** Where each part begins, and the last one ends. */
  readonly offsets: readonly number[];
};

/** With the sums of what they unpack to: of all before each part, and of all from each on. */
type Packed = Joined & {
  readonly before: readonly Checksum[];
  readonly from: readonly Checksum[];
  /** So that an own part as it is would be most of an answer. */
  readonly isShort: boolean;
};

/** In an answer of fewer parts the own one is compressed as well, which takes longer than all the rest of making it. */
const shortMaxParts = 16;

/** A whole answer, in pieces that must not be changed. */
export type RealmAnswer = { readonly body: readonly Buffer[]; readonly isGzip: boolean };

/** Somebody who asks, and what is known of him now. */
export type Asker = { readonly userId: number; readonly states: ClientStates };

/**
 * The answer with the presence of everybody. What all answers of a moment share is made once, compressed too: people in parts of
 * `peoplePerPart`, which are written and compressed anew where one of them has changed. An answer is the part of whoever asks, which is
 * written for it alone and comes first, and the others as they are: with 2,000 people 30 KB compressed and 400 KB plain, of which 6 KB are its
 * own. A third of all requests wants one.
 */
export class RealmPresence {
  /** In the order of the states. */
  readonly #fragments: Fragment[] = [];
  readonly #places = new Map<number, number>();
  /** The bytes of each part, with a comma before each fragment; undefined where one of them is another now. */
  readonly #parts: (Buffer | undefined)[] = [];
  readonly #deflated: (DeflatedPiece | undefined)[] = [];
  #joined: Joined | undefined;
  #packed: Packed | undefined;
  #people: ReadonlyMap<number, PresencePerson> = new Map();

  /**
   * Brings what is shared up to date.
   *
   * @param people another map than before where an address or an activity is another
   */
  renew(
    states: ReadonlyMap<number, ClientStates>,
    people: ReadonlyMap<number, PresencePerson>,
    nowMs: number,
  ): void {
    const mayDiffer = people !== this.#people;
    this.#people = people;
    let index = 0;
    for (const [userId, known] of states) {
      const fragment = this.#fragments[index];
      if (
        fragment?.userId !== userId ||
        fragment.states !== known ||
        fragment.untilMs <= nowMs ||
        (mayDiffer && fragment.email !== this.#emailOf(userId))
      )
        this.#replace(index, makeFragment(userId, known, this.#emailOf(userId), nowMs));
      index += 1;
    }
    if (index < this.#fragments.length) this.#cut(index);
  }

  /**
   * @param asker who has to find himself as he is now; nobody where what is shared is up to date
   * @param takesGzip whether the answer may be gzip, which it is where it is long
   * @returns the answer of the reference facts, events 4.2 and 15.2
   */
  answer(asker: Asker | undefined, takesGzip: boolean, nowMs: number): RealmAnswer {
    const own = this.#findPart(asker);
    const seconds = serverTimestamp(nowMs).toFixed(3);
    const head = Buffer.from(
      `{"result":"success","msg":"","server_timestamp":${seconds},"presences":{${this.#writeFor(asker, own, nowMs).slice(1)}`,
    );
    if (!takesGzip || !this.#isLong()) {
      const [before, after] = around((this.#joined ??= this.#join()), own);
      return { body: [head, ...before, ...after, end], isGzip: false };
    }
    const packed = (this.#packed ??= this.#pack());
    const [before, after] = around(packed, own);
    const pieces: DeflatedPiece<readonly Buffer[]>[] = [
      inPieces(packed.isShort ? deflatePiece(head, level) : storedPiece(head)),
      { bytes: before, sum: packed.before[own] ?? noBytes },
      { bytes: after, sum: packed.from[own + 1] ?? noBytes },
      inPieces(storedEnd),
    ];
    return { body: gzipMember(pieces).flat(), isGzip: true };
  }

  #emailOf(userId: number): string | undefined {
    const person = this.#people.get(userId);
    return person?.isShown === true ? person.email : undefined;
  }

  #replace(index: number, fragment: Fragment): void {
    this.#fragments[index] = fragment;
    this.#places.set(fragment.userId, index);
    const part = Math.floor(index / peoplePerPart);
    this.#parts[part] = undefined;
    this.#deflated[part] = undefined;
    this.#joined = undefined;
    this.#packed = undefined;
  }

  /** Fewer people than before have reported: presence was read anew. */
  #cut(count: number): void {
    this.#fragments.length = count;
    for (const [userId, index] of this.#places) if (index >= count) this.#places.delete(userId);
    const parts = Math.ceil(count / peoplePerPart);
    for (const list of [this.#parts, this.#deflated]) {
      list.length = parts;
      list.fill(undefined);
    }
    this.#joined = undefined;
    this.#packed = undefined;
  }

  get #count(): number {
    return Math.ceil(this.#fragments.length / peoplePerPart);
  }

  #fragmentsOf(part: number): readonly Fragment[] {
    return this.#fragments.slice(part * peoplePerPart, (part + 1) * peoplePerPart);
  }

  #bytesOf(part: number): Buffer {
    return (this.#parts[part] ??= Buffer.from(
      this.#fragmentsOf(part)
        .map(({ text }) => text)
        .join(''),
    ));
  }

  /** @returns the part that an answer begins with: the asker's, unless nobody of it is shown */
  #findPart(asker: Asker | undefined): number {
    const place = asker === undefined ? undefined : this.#places.get(asker.userId);
    const own = place === undefined ? undefined : Math.floor(place / peoplePerPart);
    if (own !== undefined && this.#bytesOf(own).length > 0) return own;
    for (let part = 0; part < this.#count; part += 1)
      if (this.#bytesOf(part).length > 0) return part;
    return 0;
  }

  #writeFor(asker: Asker | undefined, part: number, nowMs: number): string {
    return this.#fragmentsOf(part)
      .map(({ userId, email, text }) =>
        userId === asker?.userId ? makeFragment(userId, asker.states, email, nowMs).text : text,
      )
      .join('');
  }

  #isLong(): boolean {
    let bytes = 0;
    for (let part = 0; part < this.#count && bytes <= compressedMinBytes; part += 1)
      bytes += this.#bytesOf(part).length;
    return bytes > compressedMinBytes;
  }

  #join(): Joined {
    return joinedOf(Array.from({ length: this.#count }, (_, part) => this.#bytesOf(part)));
  }

  #pack(): Packed {
    const deflated = Array.from(
      { length: this.#count },
      (_, part) => (this.#deflated[part] ??= deflatePiece(this.#bytesOf(part), level)),
    );
    const before: Checksum[] = [noBytes];
    for (const { sum } of deflated) before.push(joinChecksums(before.at(-1) ?? noBytes, sum));
    const from: Checksum[] = [noBytes];
    for (const { sum } of deflated.toReversed())
      from.push(joinChecksums(sum, from.at(-1) ?? noBytes));
    return {
      ...joinedOf(deflated.map(({ bytes }) => bytes)),
      before,
      from: from.toReversed(),
      isShort: deflated.length < shortMaxParts,
    };
  }
}

function joinedOf(parts: readonly Buffer[]): Joined {
  const offsets = [0];
  for (const { length } of parts) offsets.push((offsets.at(-1) ?? 0) + length);
  return { bytes: keepBytes(parts), offsets };
}

/** @returns what is before and behind a part */
function around(
  { bytes, offsets }: Joined,
  part: number,
): readonly [before: readonly Buffer[], after: readonly Buffer[]] {
  const [before] = cutAt(bytes, offsets[part] ?? 0);
  const [, after] = cutAt(bytes, offsets[part + 1] ?? 0);
  return [before, after];
}

function inPieces({ bytes, sum }: DeflatedPiece): DeflatedPiece<readonly Buffer[]> {
  return { bytes: [bytes], sum };
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
