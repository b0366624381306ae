import { getLockedMessage, getSeenMessage } from '@parley/access';
import { badRequest, notAuthenticated } from '@parley/contracts';
import type { EventBody } from '@parley/contracts';
import type { Client } from '@parley/database';
import { defineEndpoint, exampleVariables, pathInteger, text } from '@parley/http';
import { addLateReceipt, addReaction, lockUsersInUse, removeReaction } from '@parley/store';
import type { ReactionKey, SeenMessage } from '@parley/store';

import { getMessageHolders, messageEntry } from '../changing/message-entry.ts';
import type { MessagesContext } from '../context.ts';
import { chooseEmoji } from '../reacting/emoji-choice.ts';
import type { EmojiChoice, NamedEmoji } from '../reacting/emoji-choice.ts';

type ReactionChange = {
  readonly op: 'add' | 'remove';
  readonly choice: EmojiChoice;
  /** Writes the change and answers the stored name; throws the refusal. Runs while the message is locked. */
  readonly write: (client: Client, reaction: ReactionKey, seen: SeenMessage) => Promise<string>;
};

type PathOfMessage = { readonly message_id: number };
type EmojiParameters = {
  readonly emoji_name: string | undefined;
  readonly emoji_code: string | undefined;
  readonly reaction_type: string | undefined;
};

function namedEmoji(parameters: EmojiParameters): NamedEmoji {
  return {
    emojiName: parameters.emoji_name,
    emojiCode: parameters.emoji_code,
    reactionType: parameters.reaction_type,
  };
}

/** Changes a reaction of the caller's and tells everyone who holds the message, himself included (reference facts, events 11.5). */
async function changeReaction(
  context: MessagesContext,
  userId: number,
  seen: SeenMessage,
  { op, choice, write }: ReactionChange,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const [user] = await lockUsersInUse(client, { userIds: [userId] });
    if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
    const locked = await getLockedMessage(client, userId, seen);
    const emojiName = await write(client, { messageId: seen.id, userId, ...choice }, locked);
    const event: EventBody = {
      type: 'reaction',
      op,
      message_id: seen.id,
      emoji_name: emojiName,
      emoji_code: choice.emojiCode,
      reaction_type: choice.reactionType,
      user: { user_id: userId, email: user.email, full_name: user.fullName },
      user_id: userId,
    };
    const holders = await getMessageHolders(client, seen.id);
    return { result: undefined, append: { entries: [messageEntry(holders, { event })] } };
  });
}

async function react(
  context: MessagesContext,
  userId: number,
  parameters: PathOfMessage & EmojiParameters,
): Promise<void> {
  const seen = await getSeenMessage(context.pool, userId, parameters.message_id);
  const { choice, fault } = await chooseEmoji(context.pool, namedEmoji(parameters));
  await changeReaction(context, userId, seen, {
    op: 'add',
    choice,
    write: async (client, reaction, locked) => {
      const added = await addReaction(
        client,
        reaction,
        parameters.emoji_name ?? '',
        fault === undefined,
      );
      if (added.outcome === 'unused' && fault !== undefined) throw badRequest(fault);
      if (added.outcome !== 'added') throw badRequest('Reaction already exists.');
      if (!locked.isHeld) await addLateReceipt(client, userId, seen.id);
      return added.emojiName;
    },
  });
}

async function unreact(
  context: MessagesContext,
  userId: number,
  parameters: PathOfMessage & EmojiParameters,
): Promise<void> {
  const seen = await getSeenMessage(context.pool, userId, parameters.message_id);
  const { choice } = await chooseEmoji(context.pool, namedEmoji(parameters));
  await changeReaction(context, userId, seen, {
    op: 'remove',
    choice,
    write: async (client, reaction) => {
      const emojiName = await removeReaction(client, reaction);
      if (emojiName === undefined) throw badRequest("Reaction doesn't exist.");
      return emojiName;
    },
  });
}

const messageId = pathInteger('message_id', { description: 'The id of the message' });
const emojiCode = text('emoji_code', {
  description:
    'The code of the emoji: hex code points joined by `-`, the id of a custom emoji, or `zulip`; by default what the name says',
});
const reactionType = text('reaction_type', {
  description:
    '`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; by default what the name says, and `unicode_emoji` for a code',
});
const path = '/messages/:message_id/reactions';
const response = { type: 'object', properties: {} } as const;

/** POST messages/{message_id}/reactions (reference facts, messages 15). */
export const addReactionEndpoint = defineEndpoint({
  name: 'add-reaction',
  method: 'POST',
  path,
  summary: 'React to a message with an emoji',
  description:
    'To any message that the caller may see; he holds it from then on. Where somebody used the emoji on the message, his name for it is taken over.',
  example: { parameters: { message_id: exampleVariables.messageId, emoji_name: 'tada' } },
  access: { authentication: 'required' },
  parameters: [
    messageId,
    text('emoji_name', { required: true, description: 'The name of the emoji' }),
    emojiCode,
    reactionType,
  ],
  response,
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await react(context, caller.userId, parameters);
    return {};
  },
});

/** DELETE messages/{message_id}/reactions (reference facts, messages 15). */
export const removeReactionEndpoint = defineEndpoint({
  name: 'remove-reaction',
  method: 'DELETE',
  path,
  summary: "Take back a reaction of the caller's",
  example: { parameters: { message_id: exampleVariables.messageId, emoji_name: 'wave' } },
  access: { authentication: 'required' },
  parameters: [
    messageId,
    text('emoji_name', { description: 'The name of the emoji; needed without `emoji_code`' }),
    emojiCode,
    reactionType,
  ],
  response,
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await unreact(context, caller.userId, parameters);
    return {};
  },
});
