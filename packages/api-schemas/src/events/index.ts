import type { JsonSchema } from '@parley/http';

import { messageEvents } from './message-events.ts';
import { heartbeatEvent, organizationEvents } from './organization-events.ts';
import { peopleEvents } from './people-events.ts';
import { streamEvents } from './stream-events.ts';

/** Every event that a queue may bring (contract, Events; reference facts, events 11 to 14). */
export const anyEventSchema: JsonSchema = {
  name: 'Event',
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [
    ...messageEvents,
    ...streamEvents,
    ...peopleEvents,
    ...organizationEvents,
    heartbeatEvent,
  ],
};
