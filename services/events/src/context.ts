import type { QueueConfig } from '@parley/config';
import type { Stores } from '@parley/service';
import type { KeySecrets, ServerFacts, StreamTraffic } from '@parley/store';

import type { PollContext } from './queues/poll.ts';

/** What the endpoints of the events service use. */
export type EventsContext = Stores & {
  readonly poll: PollContext;
  readonly queues: QueueConfig;
  readonly traffic: StreamTraffic;
  readonly keySecrets: KeySecrets;
  readonly server: ServerFacts;
};
