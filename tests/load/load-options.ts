import { parseArgs } from 'node:util';

export type LoadOptions = ReturnType<typeof readArguments>['values'];

/** The command line of `npm run load`. */
export function readArguments(args = process.argv.slice(2)) {
  return parseArgs({
    args,
    allowPositionals: true,
    allowNegative: true,
    options: {
      repeats: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string', default: '2' },
      only: { type: 'string' },
      processes: { type: 'string', default: '' },
      controls: { type: 'boolean', default: true },
      report: { type: 'string' },
      compare: { type: 'string' },
      profile: { type: 'string' },
      senders: { type: 'string' },
      topics: { type: 'string' },
      rate: { type: 'string' },
      followers: { type: 'string' },
      audience: { type: 'string' },
      people: { type: 'string' },
      messages: { type: 'string' },
      polls: { type: 'string' },
      streams: { type: 'string' },
      minutes: { type: 'string', default: '30' },
      clients: { type: 'string', default: '300' },
      'sample-seconds': { type: 'string', default: '30' },
      source: { type: 'string' },
      file: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

/** @throws Error unless the text is a whole number from 1 to the maximum */
export function readCount(text: string, name: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`--${name} is an integer from 1 to ${most}`);
  return value;
}

/** Whole numbers with commas between them. */
export function readCounts(text: string, name: string, most: number): readonly number[] {
  return text.split(',').map((part) => readCount(part, name, most));
}

/** Numbers of clients that wait for events, by long poll and by streams: the requested ones or the defaults. */
export function readFollowings(
  given: { readonly polls?: string | undefined; readonly streams?: string | undefined },
  usual: { readonly polls?: string; readonly streams?: string },
  pollsName: string,
  most: number,
): readonly Following[] {
  const isGiven = given.polls !== undefined || given.streams !== undefined;
  const { polls, streams } = isGiven ? given : usual;
  const read = (of: Following['of'], text: string | undefined, name: string): Following[] =>
    text === undefined ? [] : readCounts(text, name, most).map((count) => ({ of, count }));
  return [...read('polls', polls, pollsName), ...read('streams', streams, 'streams')];
}

/** A number of clients that all use long polls or all use streams. */
export type Following = { readonly of: 'polls' | 'streams'; readonly count: number };

/** A number above 0, which may have a fraction. */
export function readAmount(text: string, name: string, most: number): number {
  const value = Number(text);
  if (!(value > 0 && value <= most)) throw new Error(`--${name} is above 0 and at most ${most}`);
  return value;
}

/** Such numbers with commas between them. */
export function readAmounts(text: string, name: string, most: number): readonly number[] {
  return text.split(',').map((part) => readAmount(part, name, most));
}
