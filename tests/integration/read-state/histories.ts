/** Random histories that are applied to the store and to the model. */
import fc from 'fast-check';

import { conversationCount, streamCount, topicCount, userCount } from './model.ts';

const person = fc.nat({ max: userCount - 1 });
const stream = fc.nat({ max: streamCount - 1 });
const topic = fc.nat({ max: streamCount * topicCount - 1 });
const conversation = fc.nat({ max: conversationCount - 1 });
// Messages are numbered from the newest backwards, so that most operations are near the floors and watermarks.
const picks = fc.uniqueArray(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 });

const send = fc.record({
  op: fc.constant('send' as const),
  sender: person,
  conversation,
  readBySender: fc.boolean(),
  named: fc.subarray([0, 1, 2]),
  groupNamed: fc.subarray([0, 1, 2]),
  alerted: fc.subarray([0, 1, 2]),
  wildcard: fc.boolean(),
  bot: fc.option(person, { nil: undefined }),
});
const operation = fc.oneof(
  { weight: 10, arbitrary: send },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('join' as const), user: person, stream }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('leave' as const), user: person, stream }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('read' as const), user: person, picks }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('unread' as const), user: person, picks }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('mark-topic' as const),
      user: person,
      conversation: topic,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('mark-stream' as const), user: person, stream }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('mark-all' as const), user: person }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('star' as const),
      user: person,
      pick: fc.nat({ max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('move' as const),
      picks,
      topic: fc.nat({ max: topicCount - 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('mute-stream' as const), user: person, stream }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('mute-topic' as const),
      user: person,
      conversation: topic,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('unmute-topic' as const),
      user: person,
      conversation: topic,
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), picks }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('flag' as const),
      user: person,
      picks,
      flag: fc.constantFrom(
        'starred' as const,
        'mentioned' as const,
        'wildcard_mentioned' as const,
        'has_alert_word' as const,
        'historical' as const,
      ),
      operation: fc.constantFrom('add' as const, 'remove' as const),
    }),
  },
  // Maintenance may run at any time or never.
  { weight: 1, arbitrary: fc.record({ op: fc.constant('maintenance' as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('check' as const) }) },
);
export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
export const history = fc.record({
  /** Whether lists read in the smallest steps. */
  isNarrow: fc.boolean(),
  members: fc.array(fc.tuple(person, stream), { maxLength: 5 }),
  operations: fc.array(operation, { minLength: 1, maxLength: 45, size: 'max' }),
});
