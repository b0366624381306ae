import type { LoadedNames } from '../records.ts';
import type { LoadedExtras } from './load-extras.ts';
import type { LoadedPeople } from './load-people.ts';
import type { LoadedStreams } from './load-streams.ts';

/** Everything that messages refer to, as it is in the database. */
export type LoadedDirectory = {
  readonly people: LoadedPeople;
  readonly streams: LoadedStreams;
  readonly extras: LoadedExtras;
  /** Whether each person can hold messages: bots that only react cannot. */
  readonly canHold: readonly boolean[];
  readonly hasReceipts: boolean;
};

/** @returns the id of a person of the source's list */
export function userIdOf({ people }: Pick<LoadedDirectory, 'people'>, person: number): number {
  const user = people.users[person];
  if (user === undefined) throw new Error('a message refers to nobody');
  return user.id;
}

/** @returns a stream by its place in the source's list */
export function streamOf(
  { streams }: Pick<LoadedDirectory, 'streams'>,
  index: number,
): LoadedStreams['streams'][number] {
  const stream = streams.streams[index];
  if (stream === undefined) throw new Error('a message refers to no stream');
  return stream;
}

/** @returns what texts call things here */
export function namesOf({ people, streams, extras }: LoadedDirectory): LoadedNames {
  const found = <Item>(item: Item | undefined): Item => {
    if (item === undefined) throw new Error('a text refers to something that is not there');
    return item;
  };
  return {
    person: (index) => found(people.users[index]),
    stream: (index) => found(streams.streams[index]),
    filePath: (index) => extras.filePaths[index],
    emoji: (index) => extras.emoji[index],
  };
}
