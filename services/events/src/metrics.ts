import type { LogFollower } from '@parley/event-log';
import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';

import type { NodeFeed } from './feed/node-feed.ts';
import type { SubscriberReader } from './feed/subscriber-reader.ts';
import type { MemberLists } from './initial-state/member-lists.ts';
import type { RegisterLine } from './queues/register-line.ts';
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
    readonly memberLists: MemberLists;
  },
): void {
  const gauges: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ['parley_event_queues', 'Event queues in the memory of this node', () => node.registry.size],
    ['parley_event_polls_held', 'Polls waiting for an event', () => node.registry.heldPolls],
    [
      'parley_event_streams_open',
      'Streams of events that are open',
      () => node.registry.openStreams,
    ],
    [
      'parley_event_subscriber_lists',
      'Lists of subscribers as of a position in the memory of this node',
      () => node.subscribers.size,
    ],
    [
      'parley_event_member_lists_bytes',
      'Bytes of lists of subscribers that are kept for registers',
      () => node.memberLists.bytes,
    ],
    [
      'parley_event_registers_waiting',
      'Registers waiting for their turn',
      () => node.registers.waiting,
    ],
    ['parley_event_users', 'Users whose events this node has in memory', () => node.feed.userCount],
    [
      'parley_log_tail_bytes',
      'Bytes of the newest log entries in memory',
      () => node.feed.tail.bytes,
    ],
    [
      'parley_log_cursor',
      'Position of the newest entry that this node has read',
      () => node.follower.cursor,
    ],
    [
      'parley_log_head_age_seconds',
      'Time since this node last read the head from Postgres, which limits how exactly the lag is known',
      () => node.follower.heardAgoMs / 1_000,
    ],
    [
      'parley_log_lag_positions',
      'Positions between the known head and the position of this node',
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
    help: "Times that a user's list of entries was full and its older half was dropped",
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
    help: 'Time that polls were held before they were answered',
    buckets: holdBucketsSecs,
    registers,
  });
  const answerEvents = new Histogram({
    name: 'parley_event_answer_events',
    help: 'Events per answer to a poll, including heartbeats',
    buckets: [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
    registers,
  });
  const fullAnswers = new Counter({
    name: 'parley_event_answers_full_total',
    help: 'Answers to polls that reached their limit, so that the next poll continues',
    registers,
  });
  const replayPages = new Counter({
    name: 'parley_event_replay_pages_total',
    help: 'Pages of the log read from Postgres because memory does not reach back far enough',
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
    help: 'Reads refused with BAD_EVENT_QUEUE_ID although the queue exists, by reason',
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
    help: 'Registers refused, by limit: queues of a user, queues of an owner and the bots, size of the descriptor, length of the line, time in it',
    labelNames: ['bound'],
    registers: [registry],
  });
  for (const bound of registerBounds) refusals.inc({ bound }, 0);
  return (bound) => refusals.inc({ bound });
}
