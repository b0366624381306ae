import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { MessagesContext } from '../context.ts';
import * as addSubmessage from './add-submessage.ts';
import * as alertWords from './alert-words.ts';
import * as attachments from './attachments.ts';
import * as changeFlags from './change-flags.ts';
import * as deleteMessage from './delete-message.ts';
import * as deleteTopic from './delete-topic.ts';
import * as drafts from './drafts.ts';
import * as editMessage from './edit-message.ts';
import * as getMessageHistory from './get-message-history.ts';
import * as getMessage from './get-message.ts';
import * as getMessages from './get-messages.ts';
import * as getThumbnail from './get-thumbnail.ts';
import * as getUploadedFile from './get-uploaded-file.ts';
import * as markAsRead from './mark-as-read.ts';
import * as matchesNarrow from './matches-narrow.ts';
import * as pointer from './pointer.ts';
import * as reactions from './reactions.ts';
import * as renderMessage from './render-message.ts';
import * as scheduledMessages from './scheduled-messages.ts';
import * as sendMessage from './send-message.ts';
import * as uploadFile from './upload-file.ts';
import * as webhooks from '../webhooks/index.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<MessagesContext>[] = everyHandlerOf('messages', [
  addSubmessage,
  alertWords,
  attachments,
  changeFlags,
  deleteMessage,
  deleteTopic,
  drafts,
  editMessage,
  getMessageHistory,
  getMessage,
  getMessages,
  getThumbnail,
  getUploadedFile,
  markAsRead,
  matchesNarrow,
  pointer,
  reactions,
  renderMessage,
  scheduledMessages,
  sendMessage,
  uploadFile,
  webhooks,
]);
