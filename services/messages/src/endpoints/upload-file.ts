import { uploadFileEndpoint } from '@parley/api/messages';
import { implement } from '@parley/server';

import type { MessagesContext } from '../context.ts';
import type { StoredUpload } from '../files/upload-files.ts';
import { uploadsPrefix } from '../files/upload-path.ts';

/** POST user_uploads (reference facts, people 15). */
export const uploadFileHandler = implement(
  uploadFileEndpoint,
  async (context: MessagesContext, { caller, parameters, receiveFile }) => {
    const { uploads } = context;
    const begun: StoredUpload[] = [];
    try {
      const stored = await receiveFile({
        maxBytes: context.fileMaxBytes,
        take: async ({ name, content }) => {
          const taken = await uploads.store(name, parameters.mimetype, content);
          begun.push(taken);
          return taken;
        },
      });
      begun.length = 0;
      await uploads.add(caller.userId, stored);
      return { uri: uploadsPrefix + stored.pathId };
    } catch (error) {
      // A body may turn out to be invalid after its file is stored.
      for (const taken of begun) await uploads.discard(taken);
      throw error;
    }
  },
);
