import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { customParameter, pathInteger, pathText, textParameter } from '../declare/parameters.ts';
import { described, integer, listOf, object, text } from '../declare/schema.ts';
import { requestVariableInvalid } from '../errors.ts';
import { parseContentType } from './content-type-parameter.ts';
import { attachmentSchema } from './objects.ts';

/** Uploaded files (reference facts, people 15). */

/** POST user_uploads (reference facts, people 15). */
export const uploadFileEndpoint = declareEndpoint({
  name: 'upload-file',
  method: 'POST',
  path: '/user_uploads',
  service: 'messages',
  tag: 'Files',
  summary: 'Upload a file',
  description:
    'The answer is a relative address for links in messages. Until a message links to it, only its owner can read the file.',
  example: { file: 'heron.png' },
  access: { authentication: 'required' },
  file: 'streamed',
  parameters: [
    customParameter(
      'mimetype',
      {
        encoding: 'text',
        schema: text,
        description: 'The type of the file; its usual extension is appended to the name',
      },
      (raw, name) => {
        const type = parseContentType(raw);
        if (type === undefined) throw requestVariableInvalid(name, raw);
        return type;
      },
    ),
  ],
  success: object({ uri: described(text, 'Where the file is, below the server') }),
  errors: ['REALM_UPLOAD_QUOTA', 'REQUEST_VARIABLE_INVALID'],
});

/** The answers for uploaded files, also to pages and mail that show them by their address. */
const shownFile = {
  takesHeaders: ['if-none-match', 'if-range', 'range'],
  method: 'GET',
  below: 'root',
  service: 'messages',
  tag: 'Files',
  access: { authentication: 'required', keyParameter: 'accepted' },
  limits: { rate: 'files' },
  errors: ['INVALID_API_KEY'],
  refusals: [
    { status: 403, contentType: 'text/html', description: 'The file may not be seen' },
    { status: 404, contentType: 'text/html', description: 'There is no such file' },
  ],
} as const;

const fileAnswers = [
  {
    contentType: '*/*',
    description:
      'The file; as an attachment, by its name, unless it is a PDF, GIF, JPEG, PNG or WebP',
    headers: { ETag: 'Of the file, which never changes' },
  },
  {
    status: 206,
    contentType: '*/*',
    description: 'The part of the file that `Range` requests',
    headers: { 'Content-Range': 'Which part' },
  },
  { status: 304, description: 'The client already has the file of `If-None-Match`' },
  {
    status: 416,
    contentType: '*/*',
    description: 'The file does not have the part that `Range` requests',
    headers: { 'Content-Range': 'How large the file is' },
  },
] as const;

/** GET /user_uploads/{realm_id}/… (reference facts, people 15). */
export const getUploadedFileEndpoint = declareEndpoint({
  ...shownFile,
  name: 'get-uploaded-file',
  path: '/user_uploads/{realm_id}/{path...}',
  summary: 'Get an uploaded file',
  description:
    'The key may also be the query parameter `api_key`. Its owner can read a file, and everybody who may see a message that links to it.',
  example: {
    parameters: { realm_id: exampleVariables.realmId, path: exampleVariables.uploadedPath },
    savedAs: 'downloaded.png',
  },
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^\d+$/ }),
    pathText('path', { description: 'The rest of the uri', nul: 'handled' }),
  ],
  success: fileAnswers,
});

/**
 * GET /thumbnail (reference facts, markdown 6.1). Pictures are not scaled. An upload is answered here, by the rules of its own address: a
 * client that puts its key into the addresses of pictures could not follow a redirect, because a redirect never contains a key. For a
 * picture of another site, the browser is redirected to it. The caller must have been shown that picture, so that an address of this server
 * leads to no other site.
 */
export const getThumbnailEndpoint = declareEndpoint({
  ...shownFile,
  name: 'get-thumbnail',
  path: '/thumbnail',
  summary: 'Get a picture that a message shows',
  description:
    'Answers an uploaded file as its own address does. For a picture of another site, it redirects to that site if the picture is in a message that the caller may see, in an earlier version of one, in a text that the caller rendered within the last hour, or in an own message that is sent later. The key may also be the query parameter `api_key`.',
  example: {
    parameters: { url: exampleVariables.uploadedUri, size: 'thumbnail' },
    savedAs: 'thumbnail.png',
  },
  parameters: [
    textParameter('url', {
      required: true,
      description: 'The address of the picture; for uploads without a leading slash',
    }),
    textParameter('size', { required: true, description: '`thumbnail` or `full`' }),
  ],
  success: [
    ...fileAnswers,
    {
      status: 302,
      contentType: 'text/plain',
      description: 'A redirect to the picture of another site',
      headers: { Location: 'Where the picture is' },
    },
  ],
});

/** GET attachments (reference facts, people 15). */
export const listAttachmentsEndpoint = declareEndpoint({
  name: 'list-attachments',
  method: 'GET',
  path: '/attachments',
  service: 'messages',
  tag: 'Files',
  summary: "List the caller's own files",
  description:
    'Times are in milliseconds. Each file lists the messages that link to it and that the caller may see.',
  access: { authentication: 'required' },
  parameters: [],
  success: object({
    attachments: listOf(attachmentSchema),
    upload_space_used: described(integer, 'Bytes of the whole organization'),
  }),
});

/** DELETE attachments/{attachment_id} (reference facts, people 15). */
export const deleteAttachmentEndpoint = declareEndpoint({
  name: 'delete-attachment',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  service: 'messages',
  tag: 'Files',
  summary: "Delete one of the caller's own files",
  example: { parameters: { attachment_id: exampleVariables.attachmentId } },
  access: { authentication: 'required' },
  parameters: [pathInteger('attachment_id', { description: 'The id of the file' })],
  success: object({}),
});
