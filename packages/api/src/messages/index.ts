export * from './alert-words.ts';
export { anchorAt, newestAnchor } from './anchor-parameter.ts';
export type { AnchorId } from './anchor-parameter.ts';
export * from './change-messages.ts';
export * from './content-type-parameter.ts';
export * from './drafts.ts';
export * from './events.ts';
export * from './files.ts';
export * from './flags.ts';
export * from './narrow-parameter.ts';
export {
  attachmentSchema,
  draftSchema,
  editSnapshotSchema,
  fetchedMessageSchema,
  messageFlagSchema,
  messageFlags,
  newMessageSchema,
  reactionMembers,
  scheduledMessageSchema,
} from './objects.ts';
export type {
  Attachment,
  Draft,
  EditSnapshot,
  FetchedMessage,
  MessageFlag,
  ScheduledMessage,
} from './objects.ts';
export * from './pointer.ts';
export * from './reactions.ts';
export * from './read-messages.ts';
export * from './recipients-parameter.ts';
export * from './scheduled-messages.ts';
export * from './send-message.ts';
