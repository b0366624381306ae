import type { App } from '../../data/app.ts';
import type { Destination } from '../../data/destinations.ts';
import { Icon } from '../icon.tsx';
import { PresenceDot } from '../parts/presence-dot.tsx';
import { findStream, StreamMark } from '../parts/stream-path.tsx';

type DestinationMarkProps = { readonly app: App; readonly destination: Destination };

/** What stands before the name of a place that was found. */
export function DestinationMark({ app, destination: { kind, id = 0 } }: DestinationMarkProps) {
  if (kind === 'person') return <PresenceDot app={app} userId={id} />;
  if (kind === 'people') return <Icon name="people" />;
  const stream = kind === 'stream' ? findStream(app.state, id) : undefined;
  return stream === undefined ? <Icon name="chevron-right" /> : <StreamMark stream={stream} />;
}
