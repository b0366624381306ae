import {
  compressedMinBytes,
  deflatePiece,
  gzipMember,
  joinChecksums,
  noBytes,
  storedPiece,
} from '@parley/server/compression';
import type { Checksum, DeflatedPiece } from '@parley/server/compression';
import { cutAt, keepBytes } from '@parley/server/links';
import { listedForMs, presenceJson, serverTimestamp } from '@parley/store/presence-state';
import type { ClientStates } from '@parley/store/presence-state';
import type { PresencePerson } from '@parley/store';

type Fragment = {
  readonly userId: number;
  readonly states: ClientStates;
  /** The address, if the person's presence is shown. */
  readonly email: string | undefined;
  /** When the next client becomes too old to be listed. */
  readonly untilMs: number;
  /** `,"email":{…}`, or empty. */
  readonly text: string;
};

/** The people whose presence is rewritten together. A report's answer gets its own copy of one such part. */
const peoplePerPart = 32;

/** A higher level makes such small pieces hardly smaller. */
const level = 1;

const end = Buffer.from('}}');
const storedEnd = storedPiece(end);

/** All parts, plain or compressed, in bytes that cross a link once. */
type JoinedParts = {
  readonly bytes: readonly Buffer[];
  /** The beginning of each part, and the end of the last one. */
  readonly offsets: readonly number[];
};

/** The checksums are those of the plain text: of all parts before each part, and of all from each part on. */
type CompressedParts = JoinedParts & {
  readonly before: readonly Checksum[];
  readonly from: readonly Checksum[];
  /** Whether the reporter's part, uncompressed, would be most of an answer. */
  readonly hasFewParts: boolean;
};

/** Below this, the reporter's part is compressed too, which takes longer than the rest of the answer. */
const fewPartsMax = 16;

/** A complete answer, in pieces that must not be changed. */
export type RealmAnswer = { readonly body: readonly Buffer[]; readonly isGzip: boolean };

/** The person whose report is answered, with the newest states. */
export type Reporter = { readonly userId: number; readonly states: ClientStates };

/**
 * Makes the answer with everybody's presence, which a third of all requests get (decision 0046). Answers share parts of `peoplePerPart`
 * people, plain and compressed, which are made again only if one of their people has changed. An answer begins with the reporter's part,
 * written for it alone; the other parts are shared. With 2,000 people an answer has 30 KB compressed and 400 KB plain, of which 6 KB are not
 * shared.
 */
export class RealmPresence {
  /** In the order of the states. */
  readonly #fragments: Fragment[] = [];
  readonly #places = new Map<number, number>();
  /** The bytes of each part, with a comma before each fragment; undefined if a fragment has changed. */
  readonly #parts: (Buffer | undefined)[] = [];
  readonly #deflated: (DeflatedPiece | undefined)[] = [];
  #joinedParts: JoinedParts | undefined;
  #compressedParts: CompressedParts | undefined;
  #people: ReadonlyMap<number, PresencePerson> = new Map();

  /**
   * Updates the shared parts.
   *
   * @param people a new map if an address or activity has changed
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
   * @param reporter gets the own newest states; undefined if the shared parts are current
   * @param takesGzip whether the answer may be gzip; short answers are plain anyway
   * @returns the answer of the reference facts, events 4.2 and 15.2
   */
  answer(reporter: Reporter | undefined, takesGzip: boolean, nowMs: number): RealmAnswer {
    const own = this.#findPart(reporter);
    const seconds = serverTimestamp(nowMs).toFixed(3);
    const head = Buffer.from(
      `{"result":"success","msg":"","server_timestamp":${seconds},"presences":{${this.#writeFor(reporter, own, nowMs).slice(1)}`,
    );
    if (!takesGzip || !this.#exceedsMinimum()) {
      const [before, after] = bytesAround((this.#joinedParts ??= this.#joinPlain()), own);
      return { body: [head, ...before, ...after, end], isGzip: false };
    }
    const compressed = (this.#compressedParts ??= this.#compress());
    const [before, after] = bytesAround(compressed, own);
    const pieces: DeflatedPiece<readonly Buffer[]>[] = [
      asPieces(compressed.hasFewParts ? deflatePiece(head, level) : storedPiece(head)),
      { bytes: before, sum: compressed.before[own] ?? noBytes },
      { bytes: after, sum: compressed.from[own + 1] ?? noBytes },
      asPieces(storedEnd),
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
    this.#joinedParts = undefined;
    this.#compressedParts = undefined;
  }

  /** Fewer people than before have presence, because it was read again from the stores. */
  #cut(count: number): void {
    this.#fragments.length = count;
    for (const [userId, index] of this.#places) if (index >= count) this.#places.delete(userId);
    const parts = Math.ceil(count / peoplePerPart);
    for (const list of [this.#parts, this.#deflated]) {
      list.length = parts;
      list.fill(undefined);
    }
    this.#joinedParts = undefined;
    this.#compressedParts = undefined;
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

  /** @returns the part at the beginning of the answer: the reporter's, or the first one with text */
  #findPart(reporter: Reporter | undefined): number {
    const place = reporter === undefined ? undefined : this.#places.get(reporter.userId);
    const own = place === undefined ? undefined : Math.floor(place / peoplePerPart);
    if (own !== undefined && this.#bytesOf(own).length > 0) return own;
    for (let part = 0; part < this.#count; part += 1)
      if (this.#bytesOf(part).length > 0) return part;
    return 0;
  }

  #writeFor(reporter: Reporter | undefined, part: number, nowMs: number): string {
    return this.#fragmentsOf(part)
      .map(({ userId, email, text }) =>
        userId === reporter?.userId
          ? makeFragment(userId, reporter.states, email, nowMs).text
          : text,
      )
      .join('');
  }

  #exceedsMinimum(): boolean {
    let bytes = 0;
    for (let part = 0; part < this.#count && bytes <= compressedMinBytes; part += 1)
      bytes += this.#bytesOf(part).length;
    return bytes > compressedMinBytes;
  }

  #joinPlain(): JoinedParts {
    return joinParts(Array.from({ length: this.#count }, (_, part) => this.#bytesOf(part)));
  }

  #compress(): CompressedParts {
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
      ...joinParts(deflated.map(({ bytes }) => bytes)),
      before,
      from: from.toReversed(),
      hasFewParts: deflated.length < fewPartsMax,
    };
  }
}

function joinParts(parts: readonly Buffer[]): JoinedParts {
  const offsets = [0];
  for (const { length } of parts) offsets.push((offsets.at(-1) ?? 0) + length);
  return { bytes: keepBytes(parts), offsets };
}

/** @returns the bytes before and after a part */
function bytesAround(
  { bytes, offsets }: JoinedParts,
  part: number,
): readonly [before: readonly Buffer[], after: readonly Buffer[]] {
  const [before] = cutAt(bytes, offsets[part] ?? 0);
  const [, after] = cutAt(bytes, offsets[part + 1] ?? 0);
  return [before, after];
}

function asPieces({ bytes, sum }: DeflatedPiece): DeflatedPiece<readonly Buffer[]> {
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
