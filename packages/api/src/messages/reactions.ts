import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';

const path = '/messages/{message_id}/reactions';
const messageId = pathInteger('message_id', { description: 'The id of the message' });
const emojiCode = textParameter('emoji_code', {
  description:
    'The code of the emoji: hex code points joined by `-`, the id of a custom emoji, or `zulip`; by default that of the name',
});
const reactionType = textParameter('reaction_type', {
  description:
    '`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; by default that of the name, and `unicode_emoji` for a code',
});

/** POST messages/{message_id}/reactions (reference facts, messages 15). */
export const addReactionEndpoint = declareEndpoint({
  name: 'add-reaction',
  method: 'POST',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: 'React to a message with an emoji',
  description:
    'For any message that the caller may see; from then on the caller holds it. If somebody already used the emoji on the message, the reaction gets the same name. Otherwise a Unicode emoji gets its first name if the given one is not one of its names.',
  example: { parameters: { message_id: exampleVariables.messageId, emoji_name: 'tada' } },
  access: { authentication: 'required' },
  parameters: [
    messageId,
    textParameter('emoji_name', { required: true, description: 'The name of the emoji' }),
    emojiCode,
    reactionType,
  ],
  success: object({}),
});

/** DELETE messages/{message_id}/reactions (reference facts, messages 15). */
export const removeReactionEndpoint = declareEndpoint({
  name: 'remove-reaction',
  method: 'DELETE',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: "Take back a reaction of the caller's",
  example: { parameters: { message_id: exampleVariables.messageId, emoji_name: 'wave' } },
  access: { authentication: 'required' },
  parameters: [
    messageId,
    textParameter('emoji_name', {
      description: 'The name of the emoji; required without `emoji_code`',
    }),
    emojiCode,
    reactionType,
  ],
  success: object({}),
});
