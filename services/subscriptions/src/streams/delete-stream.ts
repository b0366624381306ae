import { audienceKey, changeEntry } from '@parley/event-log';
import type { Caller } from '@parley/api';

import type { SubscriptionsContext } from '../context.ts';
import { lockStreamForAdministrator } from './change-stream.ts';
import { endStreams } from './end-streams.ts';

/**
 * Deactivates a stream, and sends events to those who could see it (reference facts, streams 8.2).
 *
 * @throws ApiError `Must be an organization administrator`, `Invalid stream id`
 */
export async function deleteStream(
  context: SubscriptionsContext,
  caller: Caller,
  streamId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const { stream } = await lockStreamForAdministrator(client, caller, streamId, true);
    const changeId = await context.eventLog.drawChangeId(client);
    const events = await endStreams(client, [stream], changeId, {
      audienceOf: ({ id, inviteOnly }) => ({
        to: 'stream-viewers',
        streamId: id,
        inviteOnly,
        asBefore: true,
      }),
      asBefore: true,
    });
    const entry = changeEntry({ effects: [{ effect: 'stream-ended', streamId }], events });
    return {
      result: undefined,
      append: { entries: [{ entry, audience: audienceKey.everyone }], changeId },
    };
  });
}
