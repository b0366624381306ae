/** Generated organizations: what people, streams and messages there are, whatever system exports them. Everything refers by numbers. */
import type { Role } from '@parley/api';
import fc from 'fast-check';

import { makeMark } from '../../privacy/marks.ts';
import { SeededRandom } from '../../privacy/seeded-random.ts';

export type ModelPerson = {
  readonly name: string;
  readonly role: Role;
  readonly isActive: boolean;
  readonly isBot: boolean;
  /** The last message before the person went away for long; nothing for somebody who did not. */
  readonly idleAfter: number | undefined;
};

export type ModelStream = {
  /** Marked words. */
  readonly name: string;
  readonly description: string;
  /** The members of a shared one read its past; those of a protected one read what was sent while they were members. */
  readonly kind: 'public' | 'shared' | 'protected';
  readonly isArchived: boolean;
  /** For each person the messages before which membership changed, beginning with a join. */
  readonly changes: readonly (readonly number[])[];
};

/** A piece of a text, which each system writes in its own markup. */
export type TextPart =
  | { readonly kind: 'plain' | 'bold' | 'code'; readonly text: string }
  | { readonly kind: 'person'; readonly person: number }
  | { readonly kind: 'stream'; readonly stream: number }
  | { readonly kind: 'link' | 'emoji' | 'everybody' };

export type ModelEdit = { readonly content: boolean; readonly topic: boolean };

export type Emoji = { readonly name: string; readonly code: string } | 'custom';

export type ModelMessage = {
  /** A marked word, the first line. */
  readonly word: string;
  readonly sender: number;
  readonly to: { readonly stream: number } | { readonly participants: readonly number[] };
  /** The first message of its thread, if it is a reply. */
  readonly root: number | undefined;
  readonly parts: readonly TextPart[];
  /** Earlier states, newest first: marked words, of which either is of the state before. */
  readonly earlier: readonly { readonly content?: string; readonly topic?: string }[];
  /** Whether it links the file of the organization, and whether its sender could open it. */
  readonly file: 'linked' | 'named' | undefined;
  readonly reactions: readonly { readonly person: number; readonly emoji: Emoji }[];
  readonly starredBy: readonly number[];
};

export type ModelOrganization = {
  /** The first is an active administrator, who imports. */
  readonly people: readonly ModelPerson[];
  readonly streams: readonly ModelStream[];
  /** In the order of time. */
  readonly messages: readonly ModelMessage[];
  readonly file: { readonly name: string; readonly content: string };
  /** Up to which message somebody has read the place of that message. */
  readonly positions: readonly { readonly person: number; readonly message: number }[];
  /** What is unread beside. */
  readonly unread: readonly { readonly person: number; readonly message: number }[];
};

/** The time of the first message, and of each after it. */
export const firstSecs = 1_700_000_000;
/** Several messages a day. */
export const secsBetween = 20_000;
export const linkedAddress = 'https://boats.example/keel_of_it?a=1';

/** @returns Unix time */
export function timeOf(message: number): number {
  return firstSecs + message * secsBetween;
}

/** A text by which what is secret is found wherever it shows, the same in each run. */
export function wordOf(kind: 'message' | 'earlier' | 'stream' | 'file', n: number): string {
  const kinds = { message: 1, earlier: 2, stream: 3, file: 4 } as const;
  return makeMark(new SeededRandom(kinds[kind] * 1_000_003 + n));
}

const names = [
  'Ána Ruiz',
  'Bo Tide',
  'Cy O’Mast',
  '李 Keel',
  'Dee 🛶 Buoy',
  'Eli Fluke',
  'Flo Jib',
];
const texts = [
  'tide & <time>',
  'a_b_c and 2*3',
  'naïve “quotes” 🛶',
  'x > y',
  'plain words',
  '10%',
];
const unicode = [
  { name: '+1', code: '1f44d' },
  { name: 'tada', code: '1f389' },
] as const;

const part: fc.Arbitrary<TextPart> = fc.oneof(
  fc.record({ kind: fc.constant('plain' as const), text: fc.constantFrom(...texts) }),
  fc.record({
    kind: fc.constantFrom('bold' as const, 'code' as const),
    text: fc.constantFrom('keel', 'two words'),
  }),
  fc.record({ kind: fc.constant('person' as const), person: fc.nat(9) }),
  fc.record({ kind: fc.constant('stream' as const), stream: fc.nat(9) }),
  fc.record({ kind: fc.constantFrom('link' as const, 'emoji' as const, 'everybody' as const) }),
);

const rawMessage = fc.record({
  sender: fc.nat(9),
  stream: fc.option(fc.nat(9), { freq: 3, nil: undefined }),
  others: fc.array(fc.nat(9), { maxLength: 3 }),
  answers: fc.option(fc.nat(20), { nil: undefined }),
  parts: fc.array(part, { maxLength: 3 }),
  edits: fc.array(
    fc.constantFrom<ModelEdit>(
      { content: true, topic: false },
      { content: false, topic: true },
      { content: true, topic: true },
    ),
    { maxLength: 2 },
  ),
  file: fc.option(fc.constantFrom('linked' as const, 'named' as const), {
    freq: 3,
    nil: undefined,
  }),
  reactions: fc.uniqueArray(
    fc.record({ person: fc.nat(9), emoji: fc.constantFrom<Emoji>(...unicode, 'custom') }),
    { maxLength: 3 },
  ),
  starredBy: fc.array(fc.nat(9), { maxLength: 2 }),
});

const rawPair = fc.record({ person: fc.nat(9), message: fc.nat(20) });

const raw = fc.record({
  people: fc.array(
    fc.record({
      role: fc.constantFrom<Role>('administrator', 'member', 'member', 'guest', 'guest'),
      isActive: fc.constantFrom(true, true, true, false),
      isBot: fc.constantFrom(false, false, false, true),
      idleAfter: fc.option(fc.nat(15), { freq: 2, nil: undefined }),
    }),
    { minLength: 3, maxLength: names.length - 1 },
  ),
  streams: fc.array(
    fc.record({
      kind: fc.constantFrom('public' as const, 'shared' as const, 'protected' as const),
      isArchived: fc.constantFrom(false, false, false, true),
      changes: fc.array(fc.uniqueArray(fc.nat(14), { maxLength: 3 }), {
        minLength: names.length,
        maxLength: names.length,
      }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  messages: fc.array(rawMessage, { minLength: 3, maxLength: 14 }),
  positions: fc.array(rawPair, { maxLength: 6 }),
  unread: fc.array(rawPair, { maxLength: 6 }),
});

type Raw = typeof raw extends fc.Arbitrary<infer Each> ? Each : never;

/** Makes numbers refer to what there is. */
function complete(found: Raw): ModelOrganization {
  const people: ModelPerson[] = [
    { role: 'administrator' as const, isActive: true, isBot: false, idleAfter: undefined },
    ...found.people,
  ].map((person, n) => ({
    ...person,
    name: names[n] ?? '',
    role: person.isBot ? 'member' : person.role,
    idleAfter: person.isBot ? undefined : person.idleAfter,
  }));
  const streams = found.streams.map((stream, n) => ({
    ...stream,
    name: wordOf('stream', 2 * n),
    description: wordOf('stream', 2 * n + 1),
    changes: people.map((_, person) => (stream.changes[person] ?? []).toSorted((a, b) => a - b)),
  }));
  const person = (n: number): number => n % people.length;
  const messages: ModelMessage[] = [];
  for (const [n, { sender, stream, others, answers, edits, ...rest }] of found.messages.entries()) {
    const to =
      stream === undefined
        ? { participants: [...new Set([sender, ...others].map(person))].toSorted((a, b) => a - b) }
        : { stream: stream % streams.length };
    const roots = messages.flatMap((message, m) =>
      message.root === undefined && JSON.stringify(message.to) === JSON.stringify(to) ? [m] : [],
    );
    messages.push({
      word: wordOf('message', n),
      sender: person(sender),
      to,
      root: answers === undefined ? undefined : roots[answers % roots.length],
      parts: rest.parts.map((each) => {
        if (each.kind === 'person') return { ...each, person: person(each.person) };
        return each.kind === 'stream' ? { ...each, stream: each.stream % streams.length } : each;
      }),
      earlier: edits
        .map((edit, m) => ({
          ...(edit.content ? { content: wordOf('earlier', n * 10 + m * 2) } : {}),
          ...(edit.topic && 'stream' in to ? { topic: wordOf('earlier', n * 10 + m * 2 + 1) } : {}),
        }))
        .filter((edit) => edit.content !== undefined || edit.topic !== undefined),
      file: rest.file,
      reactions: uniqueBy(
        rest.reactions.map((each) => ({ ...each, person: person(each.person) })),
        (each) => JSON.stringify(each),
      ),
      starredBy: [...new Set(rest.starredBy.map(person))],
    });
  }
  const pairs = (list: Raw['positions']): ModelOrganization['positions'] =>
    uniqueBy(
      list.map((pair) => ({
        person: person(pair.person),
        message: pair.message % messages.length,
      })),
      (pair) => `${pair.person} ${pair.message}`,
    );
  return {
    people,
    streams,
    messages,
    file: { name: `${wordOf('file', 0)}-größe.txt`, content: wordOf('file', 1) },
    positions: uniqueBy(
      pairs(found.positions),
      ({ person: who, message }) => `${who} ${JSON.stringify(messages[message]?.to)}`,
    ),
    unread: pairs(found.unread),
  };
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

export const organizations: fc.Arbitrary<ModelOrganization> = raw.map(complete);

/** Whether somebody was a member of a stream when a message was sent. */
export function wasMember(stream: ModelStream, person: number, message: number): boolean {
  const changes = stream.changes[person] ?? [];
  return changes.filter((before) => before <= message).length % 2 === 1;
}

export function isMember(stream: ModelStream, person: number): boolean {
  return (stream.changes[person] ?? []).length % 2 === 1;
}

/** @returns the topic of a stream's message: threads are topics, named by their first message */
export function topicOf({ messages }: ModelOrganization, message: number): string {
  const root = messages[message]?.root ?? message;
  const isThread = messages.some((other) => other.root === root);
  return isThread ? (messages[root]?.word ?? '') : 'chat';
}

/** @returns the item, which is there */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}
