import { makeMessages } from '@parley/demo';
import type { TestOrganization } from '@parley/test-kit';

const messagesPerStatement = 500;
const statementsAtOnce = 2;

/**
 * Sends messages to topics, many in one statement.
 *
 * @param destinations used in turn
 * @returns the ids of the messages: the first one went to the first destination, and so on
 */
export async function makeBacklog(
  organization: TestOrganization,
  destinations: readonly {
    readonly senderId: number;
    readonly streamName: string;
    readonly topic: string;
  }[],
  count: number,
): Promise<readonly number[]> {
  const { pool, eventLog } = organization.maker;
  const sentAtSecs = Math.floor(Date.now() / 1_000);
  const ids: number[] = [];
  let started = 0;
  const make = async (): Promise<void> => {
    while (started < count) {
      const first = started;
      started = Math.min(count, started + messagesPerStatement);
      const made = await makeMessages(
        { pool, eventLog, publicUrl: 'http://localhost' },
        Array.from({ length: started - first }, (_, n) => {
          const to = destinations[(first + n) % destinations.length];
          if (to === undefined) throw new Error('there are no destinations');
          const content = `backlog ${first + n}: the **build** of this morning, and who takes the next one`;
          return { ...to, content, sentAtSecs };
        }),
      );
      for (const [n, id] of made.entries()) ids[first + n] = id;
    }
  };
  await Promise.all(Array.from({ length: statementsAtOnce }, make));
  return ids;
}
