import { subjectLogger } from '@parley/telemetry/logging';
import { connectStores, keepLease, serveApi, startMaintenance } from '@parley/server';
import type { RequestHandler, ServiceFrame } from '@parley/server';

import { endpoints } from './endpoints/index.ts';
import { PresenceBoard } from './presence/presence-board.ts';
import { endingOfStatuses } from './status/end-statuses.ts';
import { TypingEvents } from './typing/typing-events.ts';
import { registerTypingMetrics } from './typing/typing-metrics.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startPresence(frame: ServiceFrame): Promise<RequestHandler> {
  const { clock, log, metrics } = frame;
  const stores = await connectStores(frame);
  const presence = new PresenceBoard({
    ...stores,
    clock,
    log: subjectLogger(log, 'presence:reports'),
    registry: metrics.registry,
  });
  frame.onDispose('presence', () => presence.stop());
  frame.onSettle('presence', () => presence.settle());
  const typing = new TypingEvents({
    clock,
    eventLog: stores.eventLog,
    log: subjectLogger(log, 'presence:typing'),
  });
  frame.onDispose('typing', () => typing.stop());
  frame.onSettle('typing', () => typing.settle());
  registerTypingMetrics(metrics.registry, typing);
  startMaintenance(frame, [endingOfStatuses(stores, frame.stopping)]);
  keepLease(frame, stores);
  return serveApi(frame, {
    implementations: endpoints,
    context: {
      clock,
      pool: stores.pool,
      eventLog: stores.eventLog,
      presence,
      typing,
      participantsMax: frame.config.participantsMax,
    },
  }).handler;
}
