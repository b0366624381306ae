import type { Endpoint } from '@parley/http';

import type { MessagesContext } from '../context.ts';
import {
  addAlertWordsEndpoint,
  listAlertWordsEndpoint,
  removeAlertWordsEndpoint,
} from './alert-words.ts';
import { addSubmessageEndpoint } from './add-submessage.ts';
import { deleteAttachmentEndpoint, listAttachmentsEndpoint } from './attachments.ts';
import { changeFlagsEndpoint } from './change-flags.ts';
import { deleteMessageEndpoint } from './delete-message.ts';
import { deleteTopicEndpoint } from './delete-topic.ts';
import { editMessageEndpoint } from './edit-message.ts';
import { getMessageHistoryEndpoint } from './get-message-history.ts';
import { getMessageEndpoint } from './get-message.ts';
import { getMessagesEndpoint } from './get-messages.ts';
import { getThumbnailEndpoint } from './get-thumbnail.ts';
import { getUploadedFileEndpoint } from './get-uploaded-file.ts';
import {
  markAllAsReadEndpoint,
  markStreamAsReadEndpoint,
  markTopicAsReadEndpoint,
} from './mark-as-read.ts';
import { getPointerEndpoint, movePointerEndpoint, putPointerEndpoint } from './pointer.ts';
import { addReactionEndpoint, removeReactionEndpoint } from './reactions.ts';
import { matchesNarrowEndpoint } from './matches-narrow.ts';
import { renderMessageEndpoint } from './render-message.ts';
import { sendMessageEndpoint } from './send-message.ts';
import { uploadFileEndpoint } from './upload-file.ts';
import { webhookEndpoints } from '../webhooks/index.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Endpoint<MessagesContext>[] = [
  sendMessageEndpoint,
  renderMessageEndpoint,
  getMessagesEndpoint,
  getMessageEndpoint,
  getMessageHistoryEndpoint,
  editMessageEndpoint,
  deleteMessageEndpoint,
  deleteTopicEndpoint,
  matchesNarrowEndpoint,
  uploadFileEndpoint,
  getUploadedFileEndpoint,
  getThumbnailEndpoint,
  listAttachmentsEndpoint,
  deleteAttachmentEndpoint,
  changeFlagsEndpoint,
  markAllAsReadEndpoint,
  markStreamAsReadEndpoint,
  markTopicAsReadEndpoint,
  listAlertWordsEndpoint,
  addAlertWordsEndpoint,
  removeAlertWordsEndpoint,
  getPointerEndpoint,
  movePointerEndpoint,
  putPointerEndpoint,
  addReactionEndpoint,
  removeReactionEndpoint,
  addSubmessageEndpoint,
  ...webhookEndpoints,
];
