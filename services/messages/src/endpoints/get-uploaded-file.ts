import { getUploadedFileEndpoint } from '@parley/api/messages';
import { implement } from '@parley/server';

import type { MessagesContext } from '../context.ts';
import { answerUpload } from '../files/answer-upload.ts';

/** GET /user_uploads/{realm_id}/… (reference facts, people 15). */
export const getUploadedFileHandler = implement(
  getUploadedFileEndpoint,
  (context: MessagesContext, { caller, parameters, header }) =>
    answerUpload(context, { caller, header }, `${parameters.realm_id}/${parameters.path}`),
);
