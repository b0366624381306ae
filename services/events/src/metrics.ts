import type { LogFollower } from '@parley/event-log';
import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';

import type { NodeFeed } from './feed/node-feed.ts';
import type { SubscriberReader } from './feed/subscriber-reader.ts';
import type { RegisterLine } from './queues/register-queue.ts';
import { refusalReasons } from './queues/queue-reader.ts';
import type { RefusalReason } from './queues/queue-reader.ts';
import type { QueueRegistry } from './queues/queue-registry.ts';

/** Registers the metrics of an event node. */
export function registerMetrics(
  registry: Registry,
  node: {
    readonly registry: QueueRegistry;
    readonly feed: NodeFeed;
    readonly follower: LogFollower;
    readonly subscribers: SubscriberReader;
    readonly registers: RegisterLine;
  },
): void {
  const gauges: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ['parley_event_queues', 'Queues in the memory of this node', () => node.registry.size],
    ['parley_event_polls_held', 'Polls that wait for an event', () => node.registry.heldPolls],
    [
      'parley_event_streams_open',
      'Streams of events that are open',
      () => node.registry.openStreams,
    ],
    [
      'parley_event_subscriber_lists',
      'Lists of subscribers as of a position that are kept',
      () => node.subscribers.size,
    ],
    [
      'parley_event_registers_waiting',
      'Registers whose turn has not come',
      () => node.registers.waiting,
    ],
    ['parley_event_users', 'Users whose views this node holds', () => node.feed.userCount],
    [
      'parley_log_tail_bytes',
      'Bytes of the newest log entries in memory',
      () => node.feed.tail.bytes,
    ],
    [
      'parley_log_cursor',
      'The last log position that this node has taken',
      () => node.follower.cursor,
    ],
    [
      'parley_log_head_age_seconds',
      'Time since Postgres last told this node the end of the log; the lag is not known better than that',
      () => node.follower.heardAgoMs / 1_000,
    ],
    [
      'parley_log_lag_positions',
      'Positions between the known end of the log and the cursor',
      () => Math.max(0, node.follower.head.endPosition - node.follower.cursor),
    ],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
  new Counter({
    name: 'parley_event_user_lists_cut_total',
    help: "Times that a user's list of entries was full and its older half dropped",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(node.feed.listsCut);
    },
  });
}

// A poll with events is answered at once; without events it ends after the longest heartbeat, which may be configured above a minute.
const holdBucketsSecs = [0.005, 0.05, 0.25, 1, 2.5, 5, 10, 20, 30, 45, 50, 55, 60, 120];

/** @returns what counts reads, and those that met a bound */
export function countReads(registry: Registry): {
  readonly onAnswer: (events: number, heldMs: number) => void;
  readonly onFullAnswer: () => void;
  readonly onReplayPage: () => void;
} {
  const registers = [registry];
  const holdTime = new Histogram({
    name: 'parley_event_poll_hold_seconds',
    help: 'Time for which polls were held before they were answered',
    buckets: holdBucketsSecs,
    registers,
  });
  const answerEvents = new Histogram({
    name: 'parley_event_answer_events',
    help: 'Events in an answer to a poll, heartbeats included',
    buckets: [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
    registers,
  });
  const fullAnswers = new Counter({
    name: 'parley_event_answers_full_total',
    help: 'Answers to polls that met a bound, so that the next poll goes on',
    registers,
  });
  const replayPages = new Counter({
    name: 'parley_event_replay_pages_total',
    help: 'Pages of the log read from Postgres because memory does not reach back so far',
    registers,
  });
  return {
    onAnswer: (events, heldMs) => {
      answerEvents.observe(events);
      holdTime.observe(heldMs / 1_000);
    },
    onFullAnswer: () => fullAnswers.inc(),
    onReplayPage: () => replayPages.inc(),
  };
}

/** @returns what counts the queues that are refused though they are there, by reason */
export function countRefusals(registry: Registry): (reason: RefusalReason) => void {
  const refusals = new Counter({
    name: 'parley_event_queue_refusals_total',
    help: 'Reads of queues refused with BAD_EVENT_QUEUE_ID though the queue is there, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Starts at 0, because rates ignore the first event of a counter that starts with it.
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return (reason) => refusals.inc({ reason });
}

const registerBounds = ['queues', 'queues-of-owner', 'descriptor', 'line', 'wait'] as const;

/** @returns what counts the registers that are refused, by the bound that they met */
export function countRefusedRegisters(
  registry: Registry,
): (bound: (typeof registerBounds)[number]) => void {
  const refusals = new Counter({
    name: 'parley_event_queue_registers_refused_total',
    help: 'Registers refused, by the bound: queues of one user, queues of an owner with his bots, size of the descriptor, length of the line, wait in it',
    labelNames: ['bound'],
    registers: [registry],
  });
  for (const bound of registerBounds) refusals.inc({ bound }, 0);
  return (bound) => refusals.inc({ bound });
}
