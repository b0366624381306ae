import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { MessagesContext } from '../context.ts';
import {
  addAlertWordsHandler,
  listAlertWordsHandler,
  removeAlertWordsHandler,
} from './alert-words.ts';
import { addSubmessageHandler } from './add-submessage.ts';
import { deleteAttachmentHandler, listAttachmentsHandler } from './attachments.ts';
import { changeFlagsHandler } from './change-flags.ts';
import { deleteMessageHandler } from './delete-message.ts';
import { deleteTopicHandler } from './delete-topic.ts';
import {
  addDraftsHandler,
  changeDraftHandler,
  deleteDraftHandler,
  listDraftsHandler,
} from './drafts.ts';
import { editMessageHandler } from './edit-message.ts';
import { getMessageHistoryHandler } from './get-message-history.ts';
import { getMessageHandler } from './get-message.ts';
import { getMessagesHandler } from './get-messages.ts';
import { getThumbnailHandler } from './get-thumbnail.ts';
import { getUploadedFileHandler } from './get-uploaded-file.ts';
import {
  markAllAsReadHandler,
  markStreamAsReadHandler,
  markTopicAsReadHandler,
} from './mark-as-read.ts';
import { getPointerHandler, movePointerHandler, putPointerHandler } from './pointer.ts';
import { addReactionHandler, removeReactionHandler } from './reactions.ts';
import { matchesNarrowHandler } from './matches-narrow.ts';
import { renderMessageHandler } from './render-message.ts';
import {
  cancelScheduledMessageHandler,
  listScheduledMessagesHandler,
} from './scheduled-messages.ts';
import { sendMessageHandler } from './send-message.ts';
import { uploadFileHandler } from './upload-file.ts';
import { webhookHandlers } from '../webhooks/index.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<MessagesContext>[] = everyHandlerOf('messages', [
  sendMessageHandler,
  listScheduledMessagesHandler,
  cancelScheduledMessageHandler,
  listDraftsHandler,
  addDraftsHandler,
  changeDraftHandler,
  deleteDraftHandler,
  renderMessageHandler,
  getMessagesHandler,
  getMessageHandler,
  getMessageHistoryHandler,
  editMessageHandler,
  deleteMessageHandler,
  deleteTopicHandler,
  matchesNarrowHandler,
  uploadFileHandler,
  getUploadedFileHandler,
  getThumbnailHandler,
  listAttachmentsHandler,
  deleteAttachmentHandler,
  changeFlagsHandler,
  markAllAsReadHandler,
  markStreamAsReadHandler,
  markTopicAsReadHandler,
  listAlertWordsHandler,
  addAlertWordsHandler,
  removeAlertWordsHandler,
  getPointerHandler,
  movePointerHandler,
  putPointerHandler,
  addReactionHandler,
  removeReactionHandler,
  addSubmessageHandler,
  ...webhookHandlers,
]);
