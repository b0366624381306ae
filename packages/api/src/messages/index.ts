export {
  addAlertWordsEndpoint,
  listAlertWordsEndpoint,
  removeAlertWordsEndpoint,
} from './alert-words.ts';
export { anchorAt, newestAnchor } from './anchor-parameter.ts';
export type { AnchorId } from './anchor-parameter.ts';
export {
  addSubmessageEndpoint,
  deleteMessageEndpoint,
  deleteTopicEndpoint,
  editMessageEndpoint,
} from './change-messages.ts';
export { parseContentType } from './content-type-parameter.ts';
export {
  addDraftsEndpoint,
  changeDraftEndpoint,
  deleteDraftEndpoint,
  listDraftsEndpoint,
} from './drafts.ts';
export { messageEvents } from './events.ts';
export {
  deleteAttachmentEndpoint,
  getThumbnailEndpoint,
  getUploadedFileEndpoint,
  listAttachmentsEndpoint,
  uploadFileEndpoint,
} from './files.ts';
export {
  changeFlagsEndpoint,
  markAllAsReadEndpoint,
  markStreamAsReadEndpoint,
  markTopicAsReadEndpoint,
} from './flags.ts';
export { parseNarrow } from './narrow-parameter.ts';
export type { NarrowTerm } from './narrow-parameter.ts';
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
export { getPointerEndpoint, movePointerEndpoint, putPointerEndpoint } from './pointer.ts';
export { addReactionEndpoint, removeReactionEndpoint } from './reactions.ts';
export {
  getMessageEndpoint,
  getMessageHistoryEndpoint,
  getMessagesEndpoint,
  matchesNarrowEndpoint,
} from './read-messages.ts';
export { noRecipients, parseRecipients } from './recipients-parameter.ts';
export type { Recipients } from './recipients-parameter.ts';
export {
  cancelScheduledMessageEndpoint,
  listScheduledMessagesEndpoint,
} from './scheduled-messages.ts';
export { renderMessageEndpoint, sendMessageEndpoint } from './send-message.ts';
