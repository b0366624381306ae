import { openNewEpoch, readEpochs, readHead, readLogSize } from '@parley/event-log';
import type { Epoch } from '@parley/event-log';
import { listEventQueues } from '@parley/store';

import type { Command } from '../command.ts';
import { withDatabase } from '../connections.ts';
import { describeBytes, describeSecs } from '../units.ts';

const queuesMax = 10_000;

/** The existing positions above `after`, without those that a new epoch skipped. */
function positionsBetween(after: number, end: number, epochs: readonly Epoch[]): number {
  const jumped = epochs
    .filter(({ startPosition }) => startPosition > after)
    .reduce(
      (sum, { startPosition, previousEndPosition }) =>
        sum + startPosition - Math.max(previousEndPosition, after),
      0,
    );
  return Math.max(0, end - after - jumped);
}

export const queuesCommand: Command = {
  name: 'queues',
  summary: 'List event queues: their users, last polls, and how far they may be behind',
  details: [
    'Only a client knows which events it has acknowledged. "behind" counts the events since the queue was created, so it is the most',
    'that a poll may have to skip or deliver. Polls are recorded at most once per tenth of a lifetime.',
  ].join('\n'),
  run: async (_call, { env }) =>
    withDatabase(env, async (pool) => {
      const found = await listEventQueues(pool, queuesMax + 1);
      const [queues, isComplete] = [found.slice(0, queuesMax), found.length <= queuesMax];
      const [head, epochs] = [await readHead(pool), await readEpochs(pool)];
      const rows = queues.map((queue) => ({
        queue_id: queue.queueId,
        user_id: queue.userId,
        email: queue.email,
        client: queue.client,
        start_position: queue.startPosition,
        epoch: queue.epoch,
        positions_behind_max: positionsBetween(queue.startPosition, head.endPosition, epochs),
        created_at: queue.createdAt.toISOString(),
        last_polled_at: queue.lastPolledAt.toISOString(),
        idle_secs: Math.round(queue.idleSecs),
        lifespan_secs: queue.lifespanSecs,
      }));
      const lines = rows.map(
        (row) =>
          `${row.queue_id}  ${row.email} (${JSON.stringify(row.client)})  polled ${describeSecs(row.idle_secs)} ago of ${describeSecs(row.lifespan_secs)}, behind ${row.positions_behind_max} at most\n`,
      );
      return {
        text: isComplete
          ? lines.join('') || 'There are no event queues.\n'
          : `${lines.join('')}There are more: these ${queuesMax} are the longest unpolled.\n`,
        json: { end_position: head.endPosition, is_complete: isComplete, queues: rows },
      };
    }),
};

export const logCommand: Command = {
  name: 'log',
  summary: 'Show the state of the log: position, epoch, size',
  run: async (_call, { env }) =>
    withDatabase(env, async (pool) => {
      const head = await readHead(pool);
      const epochs = await readEpochs(pool);
      const size = await readLogSize(pool);
      return {
        text: [
          `Position:       ${head.endPosition}`,
          `Newest message: ${head.messageId}`,
          `Epoch:          ${head.epoch}, ${epochs.length === 1 ? 'the first' : `from position ${epochs.at(-1)?.startPosition ?? 0}`}`,
          `Begins at:      ${head.beginPosition}`,
          `Size:           ${describeBytes(size.bytes)} in ${size.partitions} partitions`,
          `Newest entry:   ${size.newestAt?.toISOString() ?? 'none yet'}`,
          '',
        ].join('\n'),
        json: {
          position: head.endPosition,
          message_id: head.messageId,
          epoch: head.epoch,
          begin_position: head.beginPosition,
          bytes: size.bytes,
          partitions: size.partitions,
          newest_entry_at: size.newestAt?.toISOString() ?? null,
          epochs: epochs.map((epoch) => ({
            epoch: epoch.epoch,
            previous_end_position: epoch.previousEndPosition,
            start_position: epoch.startPosition,
          })),
        },
      };
    }),
};

export const epochCommand: Command = {
  name: 'epoch',
  summary: 'Begin a new epoch of the log, after a restore that Postgres cannot notice itself',
  details: [
    'Needed if the files of the database were replaced by an older copy that Postgres cannot distinguish (a volume or machine reset to',
    'a snapshot). Positions and message ids jump above all that may have been used since the copy. Queues of clients that saw lost',
    'events are refused, so that these register again. A restore by Postgres itself, or a standby that takes over, is noticed.',
  ].join('\n'),
  run: async (_call, { env }) =>
    withDatabase(env, async (pool) => {
      const { epoch, startPosition } = await openNewEpoch(pool);
      return {
        text: `Epoch ${epoch} begins above position ${startPosition}.\n`,
        json: { epoch, start_position: startPosition },
      };
    }),
};
