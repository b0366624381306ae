import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';

import type { MessageSender } from './sending/send.ts';

/** What the endpoints of this service may use. */
export type MessagesContext = {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly sender: MessageSender;
};
