import type { Clock } from '@parley/clock';
import type { RealmFactsReader } from '@parley/composing';
import type { ListBounds } from '@parley/config';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { DescriptionRenderer } from '@parley/markdown';
import type { Turns } from '@parley/server';
import type { StreamTraffic } from '@parley/store';

/** What the endpoints of this service may use. */
export type SubscriptionsContext = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly traffic: StreamTraffic;
  readonly realmFacts: RealmFactsReader;
  /** Of the organization, without a slash at the end. */
  readonly publicUrl: string;
  /** Renders a stream's description to HTML; empty for an empty one. */
  readonly renderDescription: DescriptionRenderer;
  readonly renderingTurns: Turns;
  /** The most streams that one request of a non-administrator may create. */
  readonly newStreamsPerRequestMax: number;
  readonly lists: ListBounds;
};
