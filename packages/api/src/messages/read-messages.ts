import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import {
  booleanParameter,
  customParameter,
  integerListParameter,
  numberParameter,
  pathInteger,
} from '../declare/parameters.ts';
import {
  anything,
  boolean,
  described,
  integer,
  listOf,
  mapOf,
  object,
  optional,
  text,
} from '../declare/schema.ts';
import { parseAnchor } from './anchor-parameter.ts';
import { parseNarrow } from './narrow-parameter.ts';
import { editSnapshotSchema, fetchedMessageSchema } from './objects.ts';

const ignoredWords = optional({
  ignored_words: described(
    listOf(text),
    'The words of a search that are too common to be looked for; a search of nothing else finds nothing',
  ),
});

const narrowForm = {
  encoding: 'json',
  schema: listOf(anything),
  description: 'Terms of operator and operand',
} as const;

/** GET messages (contract, Messages; reference facts, messages 6). */
export const getMessagesEndpoint = declareEndpoint({
  name: 'get-messages',
  method: 'GET',
  path: '/messages',
  service: 'messages',
  tag: 'Messages',
  summary: 'Fetch messages around an anchor',
  description:
    'The anchor message is returned in addition to the two counts. If messages are very long there may be fewer, with `found_oldest` and `found_newest` false accordingly.',
  example: {
    parameters: {
      anchor: 'newest',
      num_before: 2,
      num_after: 0,
      narrow: [
        { operator: 'stream', operand: 'general' },
        { operator: 'topic', operand: 'hello' },
      ],
    },
  },
  access: { authentication: 'required' },
  parameters: [
    customParameter(
      'anchor',
      {
        encoding: 'json',
        schema: text,
        default: null,
        description: 'A message id; `newest`, `oldest` or `first_unread`',
      },
      parseAnchor,
    ),
    numberParameter('num_before', { required: true, description: 'Messages below the anchor' }),
    numberParameter('num_after', { required: true, description: 'Messages above the anchor' }),
    customParameter('narrow', { ...narrowForm, default: null }, parseNarrow),
    booleanParameter('use_first_unread_anchor', {
      default: false,
      description: 'Has priority over `anchor`',
    }),
    booleanParameter('client_gravatar', {
      default: false,
      description: '`avatar_url` is null if clients can make it themselves',
    }),
    booleanParameter('apply_markdown', {
      default: true,
      description: 'HTML instead of the raw text',
    }),
  ],
  success: object({
    anchor: integer,
    found_anchor: boolean,
    found_oldest: boolean,
    found_newest: boolean,
    history_limited: boolean,
    ...ignoredWords,
    messages: listOf(fetchedMessageSchema),
  }),
  errors: ['BAD_NARROW'],
});

/** GET messages/matches_narrow (reference facts, messages 14). */
export const matchesNarrowEndpoint = declareEndpoint({
  name: 'matches-narrow',
  method: 'GET',
  path: '/messages/matches_narrow',
  service: 'messages',
  tag: 'Messages',
  summary: 'Find which of some messages match a narrow',
  description:
    'Considers only messages that the caller received. Each match includes its HTML and its topic, with the hits of a search marked.',
  example: {
    parameters: {
      msg_ids: [exampleVariables.messageId],
      narrow: [{ operator: 'search', operand: 'oars' }],
    },
  },
  access: { authentication: 'required' },
  parameters: [
    integerListParameter('msg_ids', { required: true, description: 'The ids of the messages' }),
    customParameter('narrow', { ...narrowForm, required: true }, parseNarrow),
  ],
  success: object({
    ...ignoredWords,
    messages: mapOf(object({ match_content: text, match_subject: text })),
  }),
  errors: ['BAD_NARROW'],
});

const messageId = pathInteger('message_id', { description: 'The message' });

/** GET messages/{message_id} (contract, Messages; reference facts, messages 11). */
export const getMessageEndpoint = declareEndpoint({
  name: 'get-message',
  method: 'GET',
  path: '/messages/{message_id}',
  service: 'messages',
  tag: 'Messages',
  summary: 'Get the raw text of a message',
  example: { parameters: { message_id: exampleVariables.messageId } },
  access: { authentication: 'required' },
  parameters: [messageId],
  success: object({ raw_content: described(text, 'The text as it was written') }),
});

/** GET messages/{message_id}/history (contract, Message edit snapshot; reference facts, messages 11). */
export const getMessageHistoryEndpoint = declareEndpoint({
  name: 'get-message-history',
  method: 'GET',
  path: '/messages/{message_id}/history',
  service: 'messages',
  tag: 'Messages',
  summary: "Get a message's edit history",
  description:
    'Oldest first, beginning with the original. A very long history lists only the newest edits.',
  example: { parameters: { message_id: exampleVariables.messageId } },
  access: { authentication: 'required' },
  parameters: [messageId],
  success: object({ message_history: listOf(editSnapshotSchema) }),
});
