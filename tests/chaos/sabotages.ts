/** Rules of the architecture that are broken on purpose, which the harness must find. */
import type { Replacement } from '../support/altered-sources.ts';

export type Sabotage = {
  /** The change, in words. */
  readonly what: string;
  readonly replacements: readonly Replacement[];
};

const follow = 'packages/event-log/src/follow.ts';
const append = 'packages/event-log/src/append.ts';
const collect = 'services/events/src/queues/collect-events.ts';
const reader = 'services/events/src/queues/queue-reader.ts';

export const sabotages: Readonly<Record<string, Sabotage>> = {
  'skip-the-gap-check': {
    what: 'a hint is taken whether or not it follows the cursor',
    replacements: [
      {
        file: follow,
        find: `    for (
      let next = this.#waitingHints.get(cursor + 1);
      next !== undefined;
      next = this.#waitingHints.get(cursor + 1)
    ) {`,
        put: `    for (const next of [...this.#waitingHints.values()].toSorted((a, b) => a.position - b.position)) {`,
      },
    ],
  },
  'publish-before-commit': {
    what: 'the hints of sends go out before their transaction is committed',
    replacements: [
      {
        file: append,
        find: `        const rows = await this.#runSend(json, withNotices);
        const entries`,
        put: `        const rows = await this.#runSend(json, withNotices, (rows) => {
        const entries`,
      },
      {
        file: append,
        find: `        if (epoch !== undefined && entries.length > 0) this.#publishEntries(epoch, entries);
        if (rows`,
        put: `        if (epoch !== undefined && entries.length > 0) this.#publishEntries(epoch, entries);
        });
        if (rows`,
      },
      {
        file: append,
        find: `async #runSend(json: string, withNotices: boolean): Promise<SendRow[]> {`,
        put: `async #runSend(json: string, withNotices: boolean, publish: (rows: SendRow[]) => void): Promise<SendRow[]> {`,
      },
      {
        file: append,
        find: `      const { rows } = await client.query<SendRow>({`,
        put: `      await client.query('BEGIN');
      const { rows } = await client.query<SendRow>({`,
      },
      {
        file: append,
        find: `        values: [json],
      });
      isBroken = false;`,
        put: `        values: [json],
      });
      publish(rows);
      await client.query('COMMIT');
      isBroken = false;`,
      },
      {
        file: append,
        find: `      isBroken = !isUndone(error);`,
        put: `      await client.query('ROLLBACK').catch(() => undefined);
      isBroken = !isUndone(error);`,
      },
    ],
  },
  'judge-by-todays-members': {
    what: 'who is in the stream now gets its messages, whoever was in it when they were sent',
    replacements: [
      {
        file: 'packages/store/src/visibility/visibility.ts',
        find: 'view.isMember(message.streamId, message.position)',
        put: 'view.isMember(message.streamId, Number.MAX_SAFE_INTEGER)',
      },
    ],
  },
  'forget-replay': {
    what: 'a node that takes a queue over begins where it stands itself',
    replacements: [
      {
        file: collect,
        find: `  let position = after;
  for (;;) {`,
        put: `  let position = Math.max(after, queue.feed?.coverageOf(listensToPublicStreams(queue.descriptor)) ?? 0);
  for (;;) {`,
      },
    ],
  },
  'answer-from-a-paused-holder': {
    what: 'a node that was paused or is behind answers by its own cursor and not by the head of the log',
    replacements: [
      {
        file: reader,
        find: `  if (after <= follower.cursor && !catchUp) return after;`,
        put: `  if (!catchUp) return Math.min(after, follower.cursor);`,
      },
    ],
  },
  'drop-the-head-check': {
    what: 'a look at the head that finds entries which no hint announced does nothing about it',
    replacements: [
      {
        file: follow,
        find: `      if (this.#head.endPosition > this.#cursor) this.#scheduleRepair('head');`,
        put: ``,
      },
    ],
  },
};
