/** What all services together answer for. */
import { endpoints as eventsEndpoints } from '../../services/events/src/endpoints/index.ts';
import { endpoints as messagesEndpoints } from '../../services/messages/src/endpoints/index.ts';
import { endpoints as presenceEndpoints } from '../../services/presence/src/endpoints/index.ts';
import { endpoints as subscriptionsEndpoints } from '../../services/subscriptions/src/endpoints/index.ts';

/** Every declared endpoint, in the order of the OpenAPI document. */
export const allEndpoints = [
  ...messagesEndpoints,
  ...subscriptionsEndpoints,
  ...presenceEndpoints,
  ...eventsEndpoints,
] as const;

export type AnyEndpoint = (typeof allEndpoints)[number];
