import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { EventsContext } from '../context.ts';
import { deleteQueueHandler } from './delete-queue.ts';
import { getEventsHandler } from './get-events.ts';
import { registerQueueHandler } from './register-queue.ts';
import { streamEventsHandler } from './stream-events.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<EventsContext>[] = everyHandlerOf('events', [
  registerQueueHandler,
  getEventsHandler,
  streamEventsHandler,
  deleteQueueHandler,
]);
