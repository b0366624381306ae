import { BatchedReads } from '@parley/database';
import type { PrivateSendQuestion, StreamSendQuestion } from '@parley/store';
import { expect, test } from 'vitest';

import { checkMessage } from './check-message.ts';
import type { SendChecks } from './check-message.ts';

const bounds = { keysPerRead: 64, readsAtOnce: 2 };

test('texts that are longer than any name or address are not looked up with what others send', async () => {
  const asked: (PrivateSendQuestion | StreamSendQuestion)[] = [];
  function openReads<Question extends PrivateSendQuestion | StreamSendQuestion, Found>() {
    return new BatchedReads<Question, Found>((questions) => {
      asked.push(...questions);
      return Promise.resolve(new Map());
    }, bounds);
  }
  const checks: SendChecks = {
    streamFacts: openReads(),
    privateFacts: openReads(),
    participantsMax: 100,
  };
  const long = 'x'.repeat(10_000);
  const to = { kind: 'names', names: ['bob@example.com', `${long}@example.com`] } as const;
  const message = { senderId: 7, topic: long, content: 'hi' };
  await expect(checkMessage(checks, { ...message, type: 'private', to })).rejects.toThrow(
    /^Invalid email 'x/,
  );
  const none = { kind: 'ids', ids: [] } as const;
  await expect(checkMessage(checks, { ...message, type: 'stream', to: none })).rejects.toThrow(
    'Missing stream',
  );
  expect(asked).toEqual([{ senderId: 7, address: { default: true }, topic: '' }]);
});
