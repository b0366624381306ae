/** Writes how far people have read, for sources that know only that. */
import type { Client } from '@parley/database';
import { writeImportedPositions } from '@parley/store/imports';
import type { ImportedPosition } from '@parley/store/imports';

import type { ReadPositionRecord } from '../records.ts';
import type { Conversations } from './conversations.ts';
import type { LoadedDirectory } from './loaded-directory.ts';

export async function writeReadPositions(
  client: Client,
  positions: readonly ReadPositionRecord[],
  { people, streams }: LoadedDirectory,
  conversations: Conversations,
): Promise<void> {
  const found: ImportedPosition[] = [];
  for (const { person, place, readUpTo } of positions) {
    const userId = people.users[person]?.id ?? 0;
    if ('stream' in place)
      found.push({ userId, scope: streams.streams[place.stream]?.id ?? 0, readUpTo });
    else {
      const { id } = await conversations.of({ participants: place.participants }, person);
      found.push({ userId, scope: -id, readUpTo });
    }
  }
  await writeImportedPositions(client, found);
}
