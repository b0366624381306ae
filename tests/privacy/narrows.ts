/** Every operator of a narrow, about everything that the caller may not read. */
import type { Ask, Asker } from './asker.ts';
import { makeMark } from './marks.ts';
import { alike, idsOf, sampled, unknownId } from './plan.ts';

type Term = { readonly operator: string; readonly operand: unknown; readonly negated?: boolean };
export type Narrow = readonly Term[];

const term = (operator: string, operand: unknown): Term => ({ operator, operand });

/** @returns narrows of one term and more, plain and negated */
export function narrowsOf({ world, me, hidden, seen, random }: Asker): Narrow[] {
  const someHidden = random.sample(hidden, 8);
  const people = random.sample(world.people, 5);
  const withPeople = random.sample(
    world.messages.filter(({ participants }) => participants !== undefined),
    8,
  );
  const emailsOf = (participants: readonly { readonly email: string }[] = []): string =>
    participants.map((person) => person.email).join(',');
  const terms: Term[] = [
    ...['private', 'starred', 'mentioned', 'alerted', 'unread'].map((is) => term('is', is)),
    ...['link', 'image', 'attachment'].map((has) => term('has', has)),
    ...['home', 'all'].map((place) => term('in', place)),
    term('streams', 'public'),
    term('before', '2100-01-01'),
    term('after', '2000-01-01'),
    ...someHidden.flatMap(({ id }) => [term('id', id), term('near', id)]),
    ...someHidden.flatMap(({ topic }) => (topic === undefined ? [] : [term('topic', topic)])),
    ...someHidden.map(({ word }) => term('search', word)),
    ...random.sample(seen, 2).map(({ word }) => term('search', word)),
    ...people.flatMap(({ email, id }) => [
      term('sender', email),
      term('sender', id),
      term('pm-with', email),
      term('group-pm-with', email),
    ]),
    ...withPeople.flatMap(({ participants }) => [
      term('pm-with', emailsOf(participants)),
      term(
        'pm-with',
        (participants ?? []).map((person) => person.id),
      ),
    ]),
  ];
  const ofStreams = random
    .sample(world.streams, 30)
    .map((stream, n) => term('stream', n % 2 === 0 ? stream.name : stream.id));
  const inTopics = someHidden.flatMap(({ stream, topic, word, id }): Narrow[] =>
    stream === undefined
      ? []
      : [
          [term('stream', stream.name), term('topic', topic)],
          [term('stream', stream.id), term('search', word)],
          [term('stream', stream.id), term('id', id)],
        ],
  );
  const single = [...terms, ...ofStreams].map((one): Narrow => [one]);
  const negated = random
    .sample([...terms, ...ofStreams], 15)
    .map((one): Narrow => [{ ...one, negated: true }]);
  return [
    [],
    ...single,
    ...negated,
    ...inTopics,
    ...random
      .sample(terms, 5)
      .map((one): Narrow => [one, { ...term('sender', me.email), negated: true }]),
    ...random.sample(terms, 5).map((one): Narrow => [term('streams', 'public'), one]),
  ];
}

/** Narrows that name hidden objects find the same as narrows that name nothing. */
function* askForNothing({ hidden, hiddenStreams, random }: Asker): Iterable<Ask> {
  const messages = random.sample(hidden, sampled);
  const topics = messages.flatMap(({ topic }) => topic ?? []);
  const streams = random.sample(hiddenStreams, sampled);
  const groups: readonly (readonly [string, string | number, readonly (string | number)[]])[] = [
    ['stream', unknownId, idsOf(streams)],
    ['stream', makeMark(random), streams.map(({ name }) => name)],
    ['id', unknownId, idsOf(messages)],
    ['topic', makeMark(random), topics],
    ['search', makeMark(random), [...topics, ...messages.map(({ word }) => word)]],
  ];
  for (const [operator, unknown, values] of groups) {
    for (const more of [[], [term('is', 'unread')], [term('streams', 'public')]])
      yield* alike(
        `narrow ${operator} ${typeof unknown} ${JSON.stringify(more)}`,
        unknown,
        values,
        (operand) => ({
          path: 'messages',
          parameters: { ...newest, narrow: [term(operator, operand), ...more] },
        }),
      );
  }
}

const newest = { anchor: 'newest', num_before: 1_000, num_after: 0 } as const;

/** GET messages with every narrow and from every anchor. */
export function* askForMessages(asker: Asker): Iterable<Ask> {
  yield* askForNothing(asker);
  const path = 'messages';
  const anchors = [
    newest,
    { anchor: 'oldest', num_before: 0, num_after: 1_000 },
    { use_first_unread_anchor: true, num_before: 5, num_after: 50 },
  ];
  for (const anchor of anchors) yield { path, parameters: anchor, succeeds: true };
  for (const { id } of asker.random.sample(asker.hidden, 5))
    yield { path, parameters: { anchor: id, num_before: 2, num_after: 2 }, succeeds: true };
  for (const narrow of narrowsOf(asker)) {
    const anchor = asker.random.pick(anchors);
    const parameters = { ...anchor, apply_markdown: asker.random.chance(0.5), narrow };
    yield { path, parameters };
  }
}
