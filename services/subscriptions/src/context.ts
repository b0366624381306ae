import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { DescriptionRenderer } from '@parley/markdown';
import type { StreamTraffic } from '@parley/store';

/** What the endpoints of this service may use. */
export type SubscriptionsContext = {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly traffic: StreamTraffic;
  /** Renders a stream's description to HTML; empty for an empty one. */
  readonly renderDescription: DescriptionRenderer;
  /** Unix time in milliseconds. */
  readonly nowMs: () => number;
};
