/**
 * What is in an export of any size: people, channels, messages with threads, and reactions. Everything follows from the seed, and a piece at a
 * time, so that writing an export takes as much memory as one piece.
 */
export type ExportSize = {
  readonly people: number;
  readonly channels: number;
  readonly messages: number;
  /** With one to seven replies each. */
  readonly threads: number;
  readonly reactions: number;
  readonly seed: number;
};

/** A piece of a text; each system has a form of its own for it. */
export type TextPart =
  | { readonly kind: 'plain' | 'bold' | 'code'; readonly text: string }
  | { readonly kind: 'person' | 'channel'; readonly number: number }
  | { readonly kind: 'link'; readonly url: string; readonly label: string };

export type PlannedMessage = {
  /** From 0, in the order of time. */
  readonly number: number;
  readonly sender: number;
  readonly channel: number;
  /** The number of the message that began its thread; undefined outside of threads. */
  readonly root: number | undefined;
  readonly text: readonly TextPart[];
  /** Unix time in milliseconds. */
  readonly sentAtMs: number;
  readonly reactions: readonly { readonly person: number; readonly emoji: string }[];
};

const messagesPerPiece = 1_000;
const repliesMax = 7;
const startMs = 1_500_000_000_000;
const betweenMs = 30_000;

const words =
  'the keel of this boat was sound when we looked at it again and nobody had asked for a new one'.split(
    ' ',
  );
/** Names that every system has. */
const emoji = ['tada', 'eyes', 'heart', 'rocket'] as const;

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many of a total come in one of several equal pieces. */
function shareOf(total: number, piece: number, pieces: number): number {
  return Math.floor((total * (piece + 1)) / pieces) - Math.floor((total * piece) / pieces);
}

class Piece {
  readonly #random: () => number;
  readonly #size: ExportSize;

  constructor(size: ExportSize, piece: number) {
    this.#size = size;
    this.#random = randomOf(Math.imul(size.seed, 0x9e_37_79_b1) + piece);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<Item>(items: readonly Item[], otherwise: Item): Item {
    return items[this.#below(items.length)] ?? otherwise;
  }

  #partOf(word: string): TextPart {
    const { people, channels } = this.#size;
    switch (this.#below(40)) {
      case 0:
        return { kind: 'bold', text: word };
      case 1:
        return { kind: 'code', text: word };
      case 2:
        return { kind: 'person', number: this.#below(people) };
      case 3:
        return { kind: 'channel', number: this.#below(channels) };
      case 4:
        return { kind: 'link', url: `https://boats.example/${word}`, label: word };
      default:
        return { kind: 'plain', text: this.#below(60) === 0 ? ':smile:' : word };
    }
  }

  #text(): TextPart[] {
    return Array.from({ length: 6 + this.#below(24) }, () => this.#partOf(this.#pick(words, '')));
  }

  /** @returns for each message of a thread the place of its root, in a piece of so many messages */
  #threads(count: number, messages: number): Map<number, number> {
    const roots = new Map<number, number>();
    for (let n = 0; n < count; n += 1) {
      let root = this.#below(messages);
      while (roots.has(root)) root = (root + 1) % messages;
      const after = messages - root - 1;
      const replies: number[] = [];
      for (let wanted = 1 + this.#below(repliesMax); wanted > 0 && after > 0; wanted -= 1) {
        const reply = root + 1 + this.#below(after);
        if (!roots.has(reply) && !replies.includes(reply)) replies.push(reply);
      }
      if (replies.length === 0) continue;
      for (const place of [root, ...replies]) roots.set(place, root);
    }
    return roots;
  }

  #reactions(count: number, messages: number): Map<number, PlannedMessage['reactions'][number][]> {
    const found = new Map<number, PlannedMessage['reactions'][number][]>();
    for (let n = 0; n < count; n += 1) {
      const place = this.#below(messages);
      const reaction = { person: this.#below(this.#size.people), emoji: this.#pick(emoji, 'tada') };
      const others = found.get(place) ?? [];
      const isNew = others.every((other) => other.person !== reaction.person);
      if (isNew) found.set(place, [...others, reaction]);
    }
    return found;
  }

  messages(from: number, count: number, piece: number, pieces: number): PlannedMessage[] {
    const { people, channels, threads, reactions } = this.#size;
    const rootOf = this.#threads(Math.min(count / 2, shareOf(threads, piece, pieces)), count);
    const reactionsOf = this.#reactions(shareOf(reactions, piece, pieces), count);
    const channelOf = Array.from({ length: count }, () => this.#below(channels));
    return channelOf.map((own, place) => {
      const root = rootOf.get(place);
      const number = from + place;
      return {
        number,
        sender: this.#below(people),
        channel: root === undefined ? own : (channelOf[root] ?? own),
        root: root === undefined ? undefined : from + root,
        text: this.#text(),
        sentAtMs: startMs + number * betweenMs + this.#below(betweenMs),
        reactions: reactionsOf.get(place) ?? [],
      };
    });
  }
}

/** @returns the messages in the order of time, in pieces; a thread lies within one piece */
export function* planMessages(size: ExportSize): Generator<readonly PlannedMessage[]> {
  const pieces = Math.ceil(size.messages / messagesPerPiece);
  for (let piece = 0; piece < pieces; piece += 1) {
    const from = piece * messagesPerPiece;
    const count = Math.min(messagesPerPiece, size.messages - from);
    yield new Piece(size, piece).messages(from, count, piece, pieces);
  }
}

export const personName = (number: number): string => `Person ${number}`;
export const personEmail = (number: number): string => `p${number}@measured.example`;
export const channelName = (number: number): string => `channel-${number}`;

/** Each person has read up to a point of the last tenth. @returns the number of the last read message */
export function readUpTo({ messages }: ExportSize, person: number): number {
  return messages - 1 - (person % 10) * Math.floor(messages / 100);
}

/** @returns the time until which a person has read */
export function readUpToMs(size: ExportSize, person: number): number {
  return startMs + (readUpTo(size, person) + 1) * betweenMs;
}

/** How a system writes what texts refer to. */
export type TextForm = {
  readonly bold: string;
  readonly person: (number: number) => string;
  readonly channel: (number: number) => string;
  readonly link: (url: string, label: string) => string;
};

function writePart(part: TextPart, form: TextForm): string {
  switch (part.kind) {
    case 'plain':
      return part.text;
    case 'bold':
      return `${form.bold}${part.text}${form.bold}`;
    case 'code':
      return `\`${part.text}\``;
    case 'person':
      return form.person(part.number);
    case 'channel':
      return form.channel(part.number);
    case 'link':
      return form.link(part.url, part.label);
  }
}

/** @returns a text in the form of a system */
export function writeText(parts: readonly TextPart[], form: TextForm): string {
  return parts.map((part) => writePart(part, form)).join(' ');
}
