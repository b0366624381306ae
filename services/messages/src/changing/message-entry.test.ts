import { audienceKey } from '@parley/event-log';
import { expect, test } from 'vitest';

import { messageEntry } from './message-entry.ts';

const event = { type: 'submessage', message_id: 7 } as never;
const message = { id: 7, position: 70, lateHolderIds: [], reactingBotIds: [], conversationId: 5 };

test.each([
  ['the members of its stream', { streamId: 3 }, audienceKey.stream(3)],
  ['the participants', { participantIds: [1, 2] }, audienceKey.conversation(5)],
  [
    'everybody, if somebody from outside holds it',
    { streamId: 3, lateHolderIds: [9] },
    audienceKey.everyone,
  ],
])('an entry about a message is found in a replay for %s', (_who, holders, audience) => {
  expect(messageEntry({ ...message, ...holders }, { event }).audience).toBe(audience);
});
