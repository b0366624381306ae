import { attachmentSchema, listOf } from '@parley/api-schemas';
import { badRequest } from '@parley/contracts';
import { defineEndpoint, exampleVariables, pathInteger } from '@parley/http';
import { listAttachments } from '@parley/store';

import type { MessagesContext } from '../context.ts';

/** GET attachments (reference facts, people 15). */
export const listAttachmentsEndpoint = defineEndpoint({
  name: 'list-attachments',
  method: 'GET',
  path: '/attachments',
  summary: "List the caller's own files",
  description:
    'Times are in milliseconds. Of the messages that link to a file, those are listed that the caller may see.',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      attachments: listOf(attachmentSchema),
      upload_space_used: { type: 'integer', description: 'Bytes of the whole organization' },
    },
    required: ['attachments', 'upload_space_used'],
  },
  handler: async (context: MessagesContext, { caller }) => {
    const { attachments, spaceUsedBytes } = await listAttachments(context.pool, caller.userId);
    return { attachments, upload_space_used: spaceUsedBytes };
  },
});

/** DELETE attachments/{id} (reference facts, people 15). */
export const deleteAttachmentEndpoint = defineEndpoint({
  name: 'delete-attachment',
  method: 'DELETE',
  path: '/attachments/:attachment_id',
  summary: "Delete one of the caller's own files",
  example: { parameters: { attachment_id: exampleVariables.attachmentId } },
  access: { authentication: 'required' },
  parameters: [pathInteger('attachment_id', { description: 'The id of the file' })],
  response: { type: 'object' },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    if (!(await context.uploads.remove(caller.userId, parameters.attachment_id)))
      throw badRequest('Invalid attachment');
    return {};
  },
});
