import { makeMessages } from '@parley/demo';
import type { TestOrganization } from '@parley/test-kit';

const messagesPerStatement = 500;
const statementsAtOnce = 2;

/** Sends messages of one person to a topic, many with one statement. */
export async function makeBacklog(
  organization: TestOrganization,
  to: { readonly senderId: number; readonly streamName: string; readonly topic: string },
  count: number,
): Promise<void> {
  const { pool, eventLog } = organization.maker;
  const sentAtSecs = Math.floor(Date.now() / 1_000);
  let started = 0;
  const make = async (): Promise<void> => {
    while (started < count) {
      const first = started;
      started = Math.min(count, started + messagesPerStatement);
      await makeMessages(
        { pool, eventLog, publicUrl: 'http://localhost' },
        Array.from({ length: started - first }, (_, n) => ({
          ...to,
          content: `backlog ${first + n}: the **build** of this morning, and who takes the next one`,
          sentAtSecs,
        })),
      );
    }
  };
  await Promise.all(Array.from({ length: statementsAtOnce }, make));
}
