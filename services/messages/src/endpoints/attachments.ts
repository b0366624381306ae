import { listAttachmentsEndpoint, deleteAttachmentEndpoint } from '@parley/api/messages';
import { badRequest } from '@parley/api';
import { CallerReads } from '@parley/database';
import { implement } from '@parley/server';
import { listAttachments } from '@parley/store';

import type { MessagesContext } from '../context.ts';

/** GET attachments (reference facts, people 15). */
export const listAttachmentsHandler = implement(
  listAttachmentsEndpoint,
  async (context: MessagesContext, { caller, signal }) => {
    const { attachments, spaceUsedBytes } = await listAttachments(
      new CallerReads(context.pool, signal),
      caller.userId,
    );
    return { attachments, upload_space_used: spaceUsedBytes };
  },
);

/** DELETE attachments/{id} (reference facts, people 15). */
export const deleteAttachmentHandler = implement(
  deleteAttachmentEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    if (!(await context.uploads.remove(caller.userId, parameters.attachment_id)))
      throw badRequest('Invalid attachment');
    return {};
  },
);
