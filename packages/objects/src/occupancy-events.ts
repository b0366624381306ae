import type { EventPart } from '@parley/event-log';
import type { Stream } from '@parley/store';

import { streamJson } from './streams.ts';

/**
 * What is told of public streams that get their first member, or lose their last one (reference facts, streams 10.3). Which do so
 * callers know by `findOccupiedStreams`, under locks on the streams.
 *
 * @param streams private ones among them are left out
 */
export function occupancyEvents(op: 'occupy' | 'vacate', streams: readonly Stream[]): EventPart[] {
  const open = streams.filter(({ inviteOnly }) => !inviteOnly);
  if (open.length === 0) return [];
  return [
    {
      form: 'same',
      // Not to guests, from whom public streams are hidden that they are not in; their own join tells them.
      audience: { to: 'members' },
      event: { type: 'stream', op, streams: open.map(streamJson) },
    },
  ];
}
