import { addReactionEndpoint, removeReactionEndpoint } from '@parley/api/messages';
import { getLockedMessage, getSeenMessage, lockCaller } from '@parley/store/access';
import { badRequest } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import type { Client } from '@parley/database';
import { implement } from '@parley/server';
import {
  addLateReceipt,
  addReaction,
  findRealmEmoji,
  removeReaction,
  reactionTypeOf,
} from '@parley/store';
import type { ReactedEmoji, SeenMessage } from '@parley/store';

import { getMessageHolders, messageEntry } from '../changing/message-entry.ts';
import type { MessagesContext } from '../context.ts';
import { chooseEmoji, findReactedEmoji, noSuchEmoji } from '../reacting/emoji-choice.ts';

type ReactionChange = {
  readonly op: 'add' | 'remove';
  /** Writes the change and returns the stored reaction, or throws the refusal. Runs while the message is locked. */
  readonly write: (client: Client, seen: SeenMessage) => Promise<ReactedEmoji>;
};

type PathOfMessage = { readonly message_id: number };
type EmojiParameters = {
  readonly emoji_name: string | undefined;
  readonly emoji_code: string | undefined;
  readonly reaction_type: string | undefined;
};

/** Changes a reaction of the caller, with an event for all holders of the message, the caller included (reference facts, events 11.5). */
async function changeReaction(
  context: MessagesContext,
  userId: number,
  seen: SeenMessage,
  { op, write }: ReactionChange,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockCaller(client, { userId });
    const locked = await getLockedMessage(client, userId, seen, 'change');
    const emoji = await write(client, locked);
    const event: ApiEvent = {
      type: 'reaction',
      op,
      message_id: seen.id,
      emoji_name: emoji.emojiName,
      emoji_code: emoji.emojiCode,
      reaction_type: reactionTypeOf(emoji.reactionType),
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
  parameters: PathOfMessage & EmojiParameters & { readonly emoji_name: string },
): Promise<void> {
  const { emoji_name: name, emoji_code: code, reaction_type: type } = parameters;
  const seen = await getSeenMessage(context.pool, userId, parameters.message_id, 'change');
  const realmEmoji = await findRealmEmoji(context.pool, name, code);
  const { emoji, fault } = chooseEmoji({ name, code, type }, realmEmoji);
  await changeReaction(context, userId, seen, {
    op: 'add',
    write: async (client, locked) => {
      const author = { messageId: seen.id, userId };
      const added = await addReaction(client, author, emoji, fault === undefined);
      if (added.outcome === 'unused' && fault !== undefined) throw badRequest(fault);
      if (added.outcome !== 'added') throw badRequest('Reaction already exists.');
      if (!locked.isHeld) await addLateReceipt(client, userId, seen.id);
      return { ...emoji, emojiName: added.emojiName };
    },
  });
}

async function unreact(
  context: MessagesContext,
  userId: number,
  parameters: PathOfMessage & EmojiParameters,
): Promise<void> {
  const { emoji_name: name, emoji_code: code, reaction_type: type } = parameters;
  const seen = await getSeenMessage(context.pool, userId, parameters.message_id, 'change');
  const realmEmoji = await findRealmEmoji(context.pool, name, code);
  const emoji = findReactedEmoji({ name, code, type }, realmEmoji);
  await changeReaction(context, userId, seen, {
    op: 'remove',
    write: async (client) => {
      // A stored reaction with this name has priority: it may be from before the name got its meaning.
      const isNamed = code === undefined && name !== undefined;
      const stored = isNamed ? { emojiName: name, reactionType: type } : undefined;
      const author = { messageId: seen.id, userId };
      const removed = await removeReaction(client, author, emoji, stored);
      if (removed !== undefined) return removed;
      if (isNamed && emoji === undefined) throw noSuchEmoji(name);
      throw badRequest("Reaction doesn't exist.");
    },
  });
}

/** POST messages/{message_id}/reactions (reference facts, messages 15). */
export const addReactionHandler = implement(
  addReactionEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await react(context, caller.userId, parameters);
    return {};
  },
);

/** DELETE messages/{message_id}/reactions (reference facts, messages 15). */
export const removeReactionHandler = implement(
  removeReactionEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await unreact(context, caller.userId, parameters);
    return {};
  },
);
