import type { Endpoint } from '@parley/http';

import type { EventsContext } from '../context.ts';
import { deleteQueueEndpoint } from './delete-queue.ts';
import { getEventsEndpoint } from './get-events.ts';
import { registerQueueEndpoint } from './register-queue.ts';
import { sendTypingEndpoint } from './send-typing.ts';
import { streamEventsEndpoint } from './stream-events.ts';

/** What the events service answers for. */
export const endpoints: readonly Endpoint<EventsContext>[] = [
  registerQueueEndpoint,
  getEventsEndpoint,
  streamEventsEndpoint,
  deleteQueueEndpoint,
  sendTypingEndpoint,
];
