import type { EventPart } from '@parley/event-log';
import type { Stream } from '../index.ts';

import { streamJson } from './streams.ts';

/**
 * Makes the events of public streams that get their first member or lose their last one (reference facts, streams 10.3). Callers find these
 * streams with `findOccupiedStreams`, under locks on the streams.
 *
 * @param streams private streams are ignored
 */
export function occupancyEvents(op: 'occupy' | 'vacate', streams: readonly Stream[]): EventPart[] {
  const open = streams.filter(({ inviteOnly }) => !inviteOnly);
  if (open.length === 0) return [];
  return [
    {
      form: 'same',
      // Not for guests, who do not see public streams that they are not in and get an event for their own join.
      audience: { to: 'members' },
      event: { type: 'stream', op, streams: open.map(streamJson) },
    },
  ];
}
