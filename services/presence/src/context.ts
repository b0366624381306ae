import type { Clock } from '@parley/clock';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';

import type { PresenceBoard } from './presence/presence-board.ts';
import type { TypingEvents } from './typing/typing-events.ts';

/** What the endpoints of this service use. */
export type PresenceContext = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly presence: PresenceBoard;
  readonly typing: TypingEvents;
  /** The most people of a typing notice, its sender among them. */
  readonly participantsMax: number;
};
