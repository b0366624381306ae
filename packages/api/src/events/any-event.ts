import { union } from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';
import { messageEvents } from '../messages/events.ts';
import { heartbeatEvent, organizationEvents } from '../organization/events.ts';
import { peopleEvents } from '../people/events.ts';
import { presenceEvents } from '../presence/events.ts';
import { streamEvents } from '../streams/events.ts';

/** Every event that a queue may deliver (contract, Events; reference facts, events 11 to 14). */
export const anyEventSchema = union(
  'type',
  [
    ...messageEvents,
    ...streamEvents,
    ...peopleEvents,
    ...presenceEvents,
    ...organizationEvents,
    heartbeatEvent,
  ],
  { name: 'Event' },
);

/** An event as a client gets it. */
export type ReceivedEvent = Value<typeof anyEventSchema>;

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'id'> : never;

/** An event as its writer states it; the log adds its id. */
export type ApiEvent = WithoutId<ReceivedEvent>;
