export { ApiError, NoAnswerError } from './errors.ts';
export { EventStream } from './event-stream.ts';
export type {
  EventsOptions,
  FollowedEvent,
  QueuePosition,
  RegisteredEvent,
} from './event-stream.ts';
export * from './operation-types.ts';
export { ParleyClient } from './parley-client.ts';
export type { ClientOptions } from './parley-client.ts';
export type { RequestArguments, RequestOptions, Requests } from './request-options.ts';
