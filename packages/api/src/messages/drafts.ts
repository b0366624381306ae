import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { jsonParameter, pathInteger } from '../declare/parameters.ts';
import { described, integer, integers, listOf, object } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { draftSchema, writtenDraftSchema } from './objects.ts';

/** What somebody wrote and did not send, for all of their clients (decision 0082). */

const path = '/drafts';
const draftPath = '/drafts/{draft_id}';
const access = { authentication: 'required', bots: 'refused' } as const;

const draftId = pathInteger('draft_id', { description: 'The id of the draft' });

const texts = `A \`content\` has at most ${limits.contentMaxCodePoints} characters and a \`topic\` ${limits.topicMaxCodePoints}; longer ones are cut. Whether the recipients exist is asked when the message is sent.`;

const example = {
  type: 'stream',
  to: [exampleVariables.streamId],
  topic: 'oars',
  content: 'Who has the *long* ones?',
  timestamp: 1_595_479_019,
} as const;

/** GET drafts. */
export const listDraftsEndpoint = declareEndpoint({
  name: 'list-drafts',
  method: 'GET',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: "List the caller's drafts",
  description: `In the order of their times, the oldest first; at most ${limits.draftsMax}.`,
  access,
  parameters: [],
  success: object({ count: integer, drafts: listOf(draftSchema) }),
});

/** POST drafts. */
export const addDraftsEndpoint = declareEndpoint({
  name: 'add-drafts',
  method: 'POST',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: 'Add drafts',
  description: texts,
  example: { parameters: { drafts: [example] } },
  access,
  parameters: [
    jsonParameter(
      'drafts',
      { ...listOf(writtenDraftSchema), maxItems: limits.draftsMax },
      { required: true, description: 'The drafts' },
    ),
  ],
  success: object({ ids: described(integers, 'Their ids, in their order') }),
  errors: ['BAD_REQUEST'],
});

/** PATCH drafts/{draft_id}. */
export const changeDraftEndpoint = declareEndpoint({
  name: 'change-draft',
  method: 'PATCH',
  path: draftPath,
  service: 'messages',
  tag: 'Messages',
  summary: 'Replace a draft',
  description: texts,
  example: { parameters: { draft_id: exampleVariables.draftId, draft: example } },
  access,
  parameters: [
    draftId,
    jsonParameter('draft', writtenDraftSchema, { required: true, description: 'The new draft' }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST'],
  afterLoss: 'repeat',
});

/** DELETE drafts/{draft_id}. */
export const deleteDraftEndpoint = declareEndpoint({
  name: 'delete-draft',
  method: 'DELETE',
  path: draftPath,
  service: 'messages',
  tag: 'Messages',
  summary: 'Delete a draft',
  example: { parameters: { draft_id: exampleVariables.draftId } },
  access,
  parameters: [draftId],
  success: object({}),
  errors: ['BAD_REQUEST'],
});
