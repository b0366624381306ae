/** What a person does with a message that is there: react, star, quote, edit, move, delete. Events bring the results. */
import { signal } from '@preact/signals';

import type { App } from './app.ts';
import { conversationOfMessage } from './conversation.ts';
import { emojiKey } from './emoji.ts';
import type { Emoji, Reaction } from './emoji.ts';
import { narrowOf } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { Place } from './place.ts';
import type { Message, State } from './state.ts';

export const noTopic = '(no topic)';

/** Others than administrators move messages of others for this long (reference facts, messages 12). */
const communityMoveSecs = 86_400;

function isWithin(limitSecs: number, ageSecs: number): boolean {
  return limitSecs === 0 || ageSecs < limitSecs;
}

/** What the organization's settings let the person do with a message now; the server decides (reference facts, messages 12 and 13). */
export function rightsNow(
  message: Pick<Message, 'type' | 'sender_id' | 'subject' | 'timestamp'>,
  state: Pick<State, 'self' | 'realm'>,
) {
  const { self, realm } = { self: state.self.value, realm: state.realm.value };
  const ageSecs = Date.now() / 1000 - message.timestamp;
  const isOwn = message.sender_id === self.user_id;
  const mayEdit = realm.realm_allow_message_editing;
  const editLimitSecs = realm.realm_message_content_edit_limit_seconds;
  const mayMoveOthers =
    message.subject === noTopic ||
    (realm.realm_allow_community_topic_editing && ageSecs < communityMoveSecs);
  const mayDeleteOwn =
    realm.realm_allow_message_deleting &&
    isWithin(realm.realm_message_content_delete_limit_seconds, ageSecs);
  return {
    canEditContent: mayEdit && isOwn && isWithin(editLimitSecs, ageSecs),
    canMove: mayEdit && message.type === 'stream' && (isOwn || self.is_admin || mayMoveOthers),
    canDelete: self.is_admin || (isOwn && mayDeleteOwn),
    // Undefined if there is no limit.
    editSecsLeft: editLimitSecs === 0 ? undefined : Math.max(0, editLimitSecs - ageSecs),
  };
}

export type ReactionCount = Emoji & {
  readonly userIds: readonly number[];
};

/** Reactions of a message by emoji, in the order of the first of each. */
export function countReactions(reactions: readonly Reaction[]): readonly ReactionCount[] {
  return [...Map.groupBy(reactions, emojiKey).values()].flatMap((equal) => {
    const [first] = equal;
    return first === undefined ? [] : [{ ...first, userIds: equal.map(({ user_id }) => user_id) }];
  });
}

/** Reactions on their way, by message and emoji. */
const toggling = new Set<string>();

/**
 * Adds the person's reaction, or takes it back if it is there. While one is on its way, another press of it does nothing.
 *
 * @throws ApiError or NoAnswerError
 */
export async function toggleReaction(app: App, message: Message, emoji: Emoji): Promise<void> {
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const selfId = app.state.self.peek().user_id;
  const isThere = message.reactions.some(
    (reaction) => reaction.user_id === selfId && emojiKey(reaction) === emojiKey(emoji),
  );
  const key = `${message.id} ${emojiKey(emoji)}`;
  if (toggling.has(key)) return;
  toggling.add(key);
  if (!isThere)
    app.usedEmoji.change((used) => [...used, { emoji_name, emoji_code, reaction_type }]);
  try {
    await app.request(
      isThere ? 'DELETE /messages/{message_id}/reactions' : 'POST /messages/{message_id}/reactions',
      { message_id: message.id, emoji_name, emoji_code, reaction_type },
    );
  } finally {
    toggling.delete(key);
  }
}

/** @throws ApiError or NoAnswerError */
export async function toggleStar(app: App, { id, flags }: Message): Promise<void> {
  const op = flags.includes('starred') ? 'remove' : 'add';
  await app.request('POST /messages/flags', { messages: [id], op, flag: 'starred' });
}

export function wholeAddressOf(app: App, place: Place): string {
  return location.origin + location.pathname + app.addressOf(place);
}

/** The whole address of a message in its conversation. */
/** As many as are marked as unread at once. */
const unreadMax = 1_000;

export function linkTo(app: App, message: Message): string {
  const narrow = narrowOf(conversationOfMessage(message, app.state));
  return wholeAddressOf(app, { view: 'messages', narrow, near: message.id });
}

/** The shortest fence of backticks that the text cannot end. */
export function fenceAround(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return '`'.repeat(longest + 1);
}

/**
 * The text that quotes a message, for the compose area.
 *
 * @param link the whole address of the message
 */
export function quoteOf(
  { sender_full_name, sender_id }: Pick<Message, 'sender_full_name' | 'sender_id'>,
  source: string,
  link: string,
): string {
  const fence = fenceAround(source);
  return `@_**${sender_full_name}|${sender_id}** [said](${link}):\n${fence}quote\n${source}\n${fence}\n`;
}

/** @returns a message as it was written */
export async function sourceOf(app: App, { id }: Message): Promise<string> {
  return (await app.request('GET /messages/{message_id}', { message_id: id })).raw_content;
}

/**
 * Puts a quotation of a message into the compose area, which then writes to the message's conversation.
 *
 * @throws ApiError or NoAnswerError
 */
export async function quoteMessage(app: App, message: Message): Promise<void> {
  const source = await sourceOf(app, message);
  replyTo(app, message);
  app.quoted.value = quoteOf(message, source, linkTo(app, message));
}

/** Marks a message and those after it in its conversation as unread, except the person's own. */
export async function markUnreadFrom(
  { lists, reading, state }: App,
  message: Message,
): Promise<void> {
  const { messages } = await lists.store.read({
    anchor: String(message.id),
    num_before: 0,
    num_after: unreadMax,
    narrow: narrowOf(conversationOfMessage(message, state)),
  });
  await reading.markUnread(
    messages.filter(({ sender_id }) => sender_id !== state.self.peek().user_id).map(({ id }) => id),
  );
}

/** Lets the compose area write to the message's conversation. */
export function replyTo(app: App, message: Message): void {
  app.composing.value = conversationOfMessage(message, app.state);
}

/** The message whose content is being edited. */
export const editedMessageId = signal<number | undefined>(undefined);

/** Edits the newest message of the person in a conversation, of those that may still be edited. */
export function editLast({ lists, state }: App, conversation: Conversation): void {
  editedMessageId.value = lists
    .open(narrowOf(conversation))
    .ids.peek()
    .findLast((id) => {
      const message = lists.store.find(id)?.peek();
      return message !== undefined && rightsNow(message, state).canEditContent;
    });
}
