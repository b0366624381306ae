import { signal } from '@preact/signals';
import { expect, test } from 'vitest';

import { topicKey } from './narrow.ts';
import { groupUnread } from './unread.ts';
import type { Mention } from './unread.ts';

const inStream = { type: 'stream', streamId: 1, topic: 'Lärm' } as const;

function countIn(muted: 'nothing' | 'topic' | 'stream', mention: Mention | undefined) {
  const [group] = groupUnread(new Map([[10, { conversation: inStream, mention }]]), {
    subscriptions: signal(new Map([[1, { is_muted: muted === 'stream' }]])),
    mutedTopics: signal(new Set(muted === 'topic' ? [topicKey(1, 'LÄRM')] : [])),
  }).values();
  return { mentionCount: group?.mentionCount, isMuted: group?.isMuted };
}

test.each([
  ['nothing', 'self', 1],
  ['nothing', 'everybody', 1],
  ['topic', 'self', 1],
  ['topic', 'everybody', 0],
  ['stream', 'self', 1],
  ['stream', 'everybody', 0],
  ['stream', undefined, 0],
] as const)('where %s is muted a mention of %s counts %d times', (muted, mention, mentionCount) => {
  expect(countIn(muted, mention)).toEqual({ mentionCount, isMuted: muted !== 'nothing' });
});
