import type { Parameters } from '@parley/test-kit';

import type { SeededRandom } from './seeded-random.ts';
import { mayKnow, mayRead } from './world.ts';
import type { FileRecord, MessageRecord, Person, StreamRecord, World } from './world.ts';

/** One request. */
export type Ask = {
  readonly path: string;
  readonly parameters?: Parameters;
  /** The answer must equal the others in this group except for this text; one request of the group names something that does not exist. */
  readonly alike?: { readonly group: string; readonly text: string };
  /** Whether it succeeds, if that is certain. */
  readonly succeeds?: boolean;
};

/** Who asks, and what exists, visible and hidden. */
export type Asker = {
  readonly me: Person;
  readonly world: World;
  readonly random: SeededRandom;
  readonly seen: readonly MessageRecord[];
  readonly hidden: readonly MessageRecord[];
  readonly hiddenStreams: readonly StreamRecord[];
  readonly hiddenFiles: readonly FileRecord[];
  /** Other people's queues. */
  readonly queueIds: readonly string[];
};

export function makeAsker(
  me: Person,
  world: World,
  random: SeededRandom,
  queueIds: readonly string[],
): Asker {
  const seen = world.messages.filter((message) => mayRead(me, message));
  return {
    me,
    world,
    random,
    queueIds,
    seen,
    hidden: world.messages.filter((message) => !seen.includes(message)),
    hiddenStreams: world.streams.filter((stream) => !mayKnow(me, stream)),
    hiddenFiles: world.files.filter((file) => file.owner !== me && !seen.includes(file.linkedBy)),
  };
}
