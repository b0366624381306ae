import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';

const path = '/messages/{message_id}/reactions';
const messageId = pathInteger('message_id', { description: 'The id of the message' });
const emojiCode = textParameter('emoji_code', {
  description:
    'The code of the emoji: hex code points joined by `-`, the id of a custom emoji, or `zulip`; by default what the name says',
});
const reactionType = textParameter('reaction_type', {
  description:
    '`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; by default what the name says, and `unicode_emoji` for a code',
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
    'To any message that the caller may see; he holds it from then on. Where somebody used the emoji on the message, his name for it is taken over; else a Unicode emoji given by a name that is none of its own goes by its first one.',
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
      description: 'The name of the emoji; needed without `emoji_code`',
    }),
    emojiCode,
    reactionType,
  ],
  success: object({}),
});
