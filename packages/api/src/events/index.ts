export { anyEventSchema } from './any-event.ts';
export type { ApiEvent, ReceivedEvent } from './any-event.ts';
export { event, eventByOp, sameForOps, updatesByProperty } from './event-schema.ts';
export { deleteQueueEndpoint, registerQueueEndpoint } from './queues.ts';
export { getEventsEndpoint, streamEventsEndpoint } from './read-events.ts';
export { firstLineText, reconnectText, refusalEventText } from './stream-text.ts';
export type { FetchType, FetchedState, RegisterState } from './register-state.ts';
