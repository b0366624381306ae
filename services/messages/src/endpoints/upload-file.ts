import { requestVariableInvalid } from '@parley/contracts';
import { custom, defineEndpoint } from '@parley/http';

import type { MessagesContext } from '../context.ts';
import { parseContentType } from '../files/content-type.ts';
import type { StoredUpload } from '../files/upload-files.ts';
import { uploadsPrefix } from '../files/upload-path.ts';

/** POST user_uploads (reference facts, people 15). */
export const uploadFileEndpoint = defineEndpoint({
  name: 'upload-file',
  method: 'POST',
  path: '/user_uploads',
  summary: 'Upload a file',
  description:
    'The answer is relative, to be linked to in messages. Until a message links to it, only its owner can read the file.',
  example: { file: 'heron.png' },
  access: { authentication: 'required' },
  takesFile: true,
  parameters: [
    custom(
      'mimetype',
      {
        encoding: 'text',
        schema: { type: 'string' },
        description: 'The type of the file; its usual extension is appended to the name',
      },
      (raw, name) => {
        const type = parseContentType(raw);
        if (type === undefined) throw requestVariableInvalid(name, raw);
        return type;
      },
    ),
  ],
  response: {
    type: 'object',
    properties: { uri: { type: 'string', description: 'Where the file is, below the server' } },
    required: ['uri'],
  },
  errors: ['REALM_UPLOAD_QUOTA', 'REQUEST_VARIABLE_INVALID'],
  handler: async (context: MessagesContext, { caller, parameters, receiveFile }) => {
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
      // A body can prove to be wrong after its file is stored.
      for (const taken of begun) await uploads.discard(taken);
      throw error;
    }
  },
});
