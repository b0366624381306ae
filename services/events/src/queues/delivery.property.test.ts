/**
 * Whatever is appended, whenever queues are attached, forgotten and polled, and however little a node remembers: following polls
 * give exactly what a reader of the whole log finds for the user, once and in order.
 */
import { MovedClock } from '@parley/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ModelledLog, at, conversations, userIds } from '../../tests/modelled-log.ts';
import { NodeFeed } from '../feed/node-feed.ts';
import type { LogAccess } from './collect-events.ts';
import { collectEvents, collectFromMemory } from './collect-events.ts';
import { EventQueue } from './event-queue.ts';
import { Heartbeats } from './heartbeats.ts';

const bounds = { answerEventsMax: 3, answerBytesMax: 100_000, replayPageEntries: 2 };

/** A node in front of the log. What the store is asked for takes time, in which more is appended and taken. */
class Node {
  readonly log = new ModelledLog();
  readonly feed: NodeFeed;
  readonly queues = new Map<string, EventQueue>();
  /** What happens while the store is asked, one for each question. */
  readonly meanwhile: (() => void)[] = [];
  readonly #waiting: { readonly position: number; readonly resolve: () => void }[] = [];
  #taken = 0;
  takenUpTo = 0;

  constructor(tailEntriesMax: number, deliveriesMax: number) {
    this.feed = new NodeFeed({
      tail: { entriesMax: tailEntriesMax, bytesMax: 1_000_000 },
      deliveriesMax,
      loadView: async (userId) => {
        const [view, exactAt] = [this.log.viewOf(userId), this.log.end];
        await this.askStore();
        if (this.takenUpTo < exactAt)
          await new Promise<void>((resolve) => {
            this.#waiting.push({ position: exactAt, resolve });
          });
        return { view, exactAt };
      },
      findQueue: (queueId) => this.queues.get(queueId),
      onUnreadableEntry: () => expect.unreachable('all entries can be read'),
    });
    this.feed.reset(0);
  }

  async askStore(): Promise<void> {
    await Promise.resolve();
    this.meanwhile.shift()?.();
  }

  take(count: number): void {
    const entries = this.log.entries.slice(this.#taken, this.#taken + count);
    this.#taken += entries.length;
    const last = entries.at(-1);
    if (last === undefined) return;
    this.takenUpTo = last.position + last.length - 1;
    this.feed.take(entries);
    for (const waiter of this.#waiting.splice(0)) {
      if (waiter.position <= this.takenUpTo) waiter.resolve();
      else this.#waiting.push(waiter);
    }
  }

  get access(): LogAccess {
    return {
      tail: this.feed.tail,
      conversationIdsOf: async (userId) => {
        await this.askStore();
        return conversations.flatMap((one) => (one.userIds.includes(userId) ? [one.id] : []));
      },
      readEntries: async ({ after, upTo }, audiences, entriesMax) => {
        await this.askStore();
        return this.log.entries
          .filter(
            (entry) =>
              entry.position + entry.length - 1 > after &&
              entry.position <= upTo &&
              (audiences === undefined || audiences.includes(entry.audience)),
          )
          .slice(0, entriesMax);
      },
      readBeginPosition: async () => 0,
      flagsOf: async () => {
        await this.askStore();
        return [];
      },
      openSealed: () => ({}),
      subscribersAt: async () => {
        await this.askStore();
        return [];
      },
      firstMessageUpTo: async () => {
        await this.askStore();
        return null;
      },
      heldInStream: async () => {
        await this.askStore();
        return [];
      },
    };
  }

  /** Takes everything, and again what comes meanwhile, until `work` is done. */
  async settle<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      this.take(this.log.entries.length);
      await Promise.resolve();
    }
    return done;
  }

  async poll(queue: EventQueue, after: number, replayAudiencesMax: number): Promise<number[]> {
    const limits = { ...bounds, replayAudiencesMax };
    const fromMemory =
      queue.feed === undefined ? undefined : collectFromMemory(queue, after, limits);
    const collected = await collectEvents(this.access, queue, after, limits);
    if (fromMemory !== undefined && JSON.stringify(fromMemory) !== JSON.stringify(collected))
      throw new Error('memory gives something else than the log');
    return collected.events.map(({ id, text }) => {
      if ((JSON.parse(text) as { id: number }).id !== id)
        throw new Error(`${id} is not in ${text}`);
      return id;
    });
  }
}

const small = fc.nat(30);
const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('append'), kind: small, who: small, what: small }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('take'), kind: fc.nat(3), who: small, what: small }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('register'), kind: small, who: small, what: small }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('attach'), kind: small, who: small, what: small }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('detach'), kind: small, who: small, what: small }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('poll'), kind: small, who: small, what: small }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('meanwhile'), kind: small, who: small, what: small }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('forget'), kind: small, who: small, what: small }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reset'), kind: small, who: small, what: small }),
  },
);

type Client = { readonly queue: EventQueue; readonly got: number[]; last: number };

test('consecutive polls return what the whole log has for the queue, once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 10, maxLength: 60 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      async (commands, tailEntriesMax, deliveriesMax) => {
        const node = new Node(tailEntriesMax, deliveriesMax);
        const { log, feed } = node;
        const clients: Client[] = [];
        const heartbeats = new Heartbeats(new MovedClock(), { minMs: 60_000, maxMs: 60_000 });
        const noHangUp = new AbortController().signal;
        const attaching = new Set<Promise<void>>();
        const attach = (queue: EventQueue): Promise<void> => {
          const started = feed.attach(queue).finally(() => attaching.delete(started));
          attaching.add(started);
          return started;
        };
        const takeAndWake = async (count: number): Promise<void> => {
          const before = node.takenUpTo;
          const held = clients
            .filter(({ queue }) => queue.feed !== undefined)
            .map(({ queue }) => {
              const poll = { queue, isReleased: false };
              const done = new Promise<void>((resolve) => {
                const onRelease = (): void => {
                  poll.isReleased = true;
                  resolve();
                };
                const turn = queue.take('poll');
                turn.wait({ onRelease }, { heartbeats, dueAtMs: Infinity }, noHangUp);
              });
              return { poll, done };
            });
          node.take(count);
          const upTo = node.takenUpTo;
          await Promise.resolve();
          for (const { poll } of held) {
            const { queue } = poll;
            const ids = log.idsFor(queue, Math.max(before, queue.startPosition), upTo);
            if (ids.length > 0) expect(poll.isReleased).toBe(true);
            queue.finishTurn();
          }
          await Promise.all(held.map(({ done }) => done));
        };
        const pollOnce = async (
          client: Client,
          after: number,
          audiencesMax: number,
        ): Promise<void> => {
          const { queue } = client;
          if (queue.feed === undefined) await node.settle(attach(queue));
          const upTo = node.takenUpTo;
          const ids = await node.poll(queue, after, audiencesMax);
          const expected = log.idsFor(queue, after, log.end);
          expect(ids).toEqual(expected.slice(0, ids.length));
          expect(ids.length).toBeLessThanOrEqual(bounds.answerEventsMax);
          if (expected.some((id) => id <= upTo)) expect(ids).not.toEqual([]);
          if (after !== client.last) return;
          client.got.push(...ids);
          client.last = ids.at(-1) ?? client.last;
        };
        for (const { do: action, kind, who, what } of commands) {
          const client = clients.length === 0 ? undefined : at(clients, who);
          switch (action) {
            case 'append':
              log.appendSome(kind, who, what);
              break;
            case 'take':
              await takeAndWake(kind);
              break;
            case 'register': {
              const queue = new EventQueue(
                {
                  queueId: `queue ${clients.length}`,
                  userId: at(userIds, who),
                  startPosition: log.end,
                  lifespanSecs: 600,
                  idleSecs: 0,
                  descriptor: {
                    eventTypes: null,
                    narrow: [],
                    applyMarkdown: true,
                    clientGravatar: false,
                    allPublicStreams: what % 3 === 0,
                    includeSubscribers: false,
                  },
                },
                0,
              );
              node.queues.set(queue.id, queue);
              clients.push({ queue, got: [], last: queue.startPosition });
              break;
            }
            case 'attach':
              if (client !== undefined && client.queue.feed === undefined)
                void attach(client.queue);
              // Either it goes as far as it can without the node taking more, or the next commands run beside it.
              for (let turn = 0; turn < what; turn += 1) await Promise.resolve();
              break;
            case 'detach':
              if (client !== undefined) feed.detach(client.queue);
              break;
            case 'poll':
              if (client === undefined) break;
              // Sometimes the client asks again for what it has had.
              await pollOnce(
                client,
                what % 4 === 0
                  ? at([client.queue.startPosition, ...client.got], kind)
                  : client.last,
                kind % 2 === 0 ? 100 : 1,
              );
              break;
            case 'meanwhile':
              node.meanwhile.push(() => {
                log.appendSome(kind, who, what);
                log.appendSome(what, kind, who);
                node.take(what % 3);
              });
              break;
            case 'forget':
              feed.forgetOld();
              break;
            case 'reset':
              node.take(log.entries.length);
              feed.reset(node.takenUpTo);
              break;
          }
        }
        node.meanwhile.length = 0;
        await node.settle(Promise.all(attaching));
        for (const client of clients) {
          for (let before = -1; before < client.last;) {
            before = client.last;
            await pollOnce(client, client.last, 100);
          }
          expect(client.got).toEqual(log.idsFor(client.queue, client.queue.startPosition, log.end));
        }
      },
    ),
  );
});
