import type { MessageSentEntry } from '@parley/event-log';
import { expect, test } from 'vitest';

import type { NarrowTerm, QueueDescriptor } from './queue-descriptor.ts';
import { passesNarrow } from './queue-filter.ts';

const entry = {
  message: {
    type: 'stream',
    display_recipient: 'Social',
    subject: 'lunch',
    sender_email: 'ann@example.com',
  },
} as unknown as MessageSentEntry;

const passes = (...narrow: NarrowTerm[]): boolean =>
  passesNarrow({ narrow } as unknown as QueueDescriptor, entry, ['mentioned']);

const met: readonly NarrowTerm[] = [
  ['stream', 'social'],
  ['topic', 'LUNCH'],
  ['sender', 'Ann@example.com'],
  ['is', 'mentioned'],
  ['is', 'unread'],
];

test('a message passes a narrow if it meets all its terms', () => {
  expect(passes()).toBe(true);
  expect(passes(...met)).toBe(true);
});

test.each<NarrowTerm>([
  ['stream', 'soci'],
  ['topic', 'dinner'],
  ['sender', 'bob@example.com'],
  ['is', 'private'],
  ['is', 'starred'],
])('a message does not pass a narrow with %s %s, whatever else it meets', (...unmet) => {
  expect(passes(...met, unmet)).toBe(false);
  expect(passes(unmet, ...met)).toBe(false);
});
