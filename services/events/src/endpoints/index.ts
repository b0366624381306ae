import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { EventsContext } from '../context.ts';
import * as deleteQueue from './delete-queue.ts';
import * as getEvents from './get-events.ts';
import * as registerQueue from './register-queue.ts';
import * as streamEvents from './stream-events.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<EventsContext>[] = everyHandlerOf('events', [
  deleteQueue,
  getEvents,
  registerQueue,
  streamEvents,
]);
