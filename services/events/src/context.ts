import type { Clock } from '@parley/clock';
import type { QueueConfig } from '@parley/config';
import type { Stores } from '@parley/server';
import type { KeySecrets } from '@parley/auth/secrets';
import type { StreamTraffic } from '@parley/store';

import type { KeptState } from './initial-state/kept-state.ts';
import type { MemberLists } from './initial-state/member-lists.ts';
import type { NewestPresence } from './initial-state/presence-state.ts';
import type { ServerFacts } from './initial-state/realm-state.ts';
import type { EventTexts } from './queues/event-texts.ts';
import type { ReadContext } from './queues/queue-reader.ts';
import type { RegisterLine } from './queues/register-line.ts';

/** What the endpoints of the events service use. */
export type EventsContext = Stores & {
  readonly clock: Clock;
  readonly read: ReadContext;
  readonly texts: EventTexts;
  readonly queues: QueueConfig;
  readonly registers: RegisterLine;
  readonly traffic: StreamTraffic;
  readonly keptState: KeptState;
  readonly memberLists: MemberLists;
  readonly keySecrets: KeySecrets;
  readonly server: ServerFacts;
  readonly newestPresence: NewestPresence;
};
