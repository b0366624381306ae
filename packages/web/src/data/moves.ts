/** Where messages are that were moved to another topic, and who goes along with them. */
import { signal } from '@preact/signals';
import { ApiError } from '@parley/client';

import type { App } from './app.ts';
import { conversationOfMessage } from './conversation.ts';
import type { MessageStore } from './message-store.ts';
import { isSameConversation, narrowOf } from './narrow.ts';
import type { Conversation, Narrow, StreamConversation } from './narrow.ts';
import { conversationAt } from './place.ts';
import type { MessagesPlace } from './place.ts';
import type { Kept } from './reducers/reducer.ts';
import type { Message } from './state.ts';

/** Messages of a topic that are in another one now. */
export type Move = {
  readonly from: StreamConversation;
  readonly to: StreamConversation;
  readonly ids: readonly number[];
  /** Whether the topic was to move, and not a part of it. Of an old one the server leaves what is older than seven days. */
  readonly isOfTopic: boolean;
};

/** The last move that the reader was taken along with, for the line that says so. */
export const followedMove = signal<Move | undefined>(undefined);

/** Called with each move that what is being written goes along with. Before its draft moves, it is kept as one. */
type Follower = (from: Conversation, to: Conversation) => void;

const followers = new Set<Follower>();

/** @returns what ends it */
export function onFollowed(follow: Follower): () => void {
  followers.add(follow);
  return () => followers.delete(follow);
}

/** What is kept of a conversation, which is another one now, goes along. */
function takeKeptAlong(
  { drafts, visited }: Pick<Kept, 'drafts' | 'visited'>,
  from: Conversation,
  to: Conversation,
): void {
  for (const follow of followers) follow(from, to);
  drafts.move(from, to);
  visited.move(from, to);
}

/** Whether the message that the reader is at, or everything that is shown, has moved away. */
function isReaderMoved({ lists }: Kept, narrow: Narrow, { ids, isOfTopic }: Move): boolean {
  const list = lists.open(narrow);
  const held = list.ids.peek();
  const readId = list.readerAt ?? held.at(-1);
  const isLeft = held.some((id) => !ids.includes(id));
  const isEmpty = !isLeft && list.hasOldest.peek() && list.hasNewest.peek();
  return isEmpty || (isOfTopic && (readId === undefined || ids.includes(readId)));
}

/** Whether the topic goes on: it has messages from before the move. A notice of it comes after. */
async function isLeft({ lists }: Kept, { from, ids, isOfTopic }: Move): Promise<boolean> {
  if (isOfTopic) return false;
  const page = await lists.store.read({
    anchor: String(Math.max(...ids)),
    num_before: 1,
    num_after: 0,
    narrow: narrowOf(from),
  });
  return page.messages.length > 0;
}

/** Takes those along who read a topic that moved, and what is being written there. */
export function followMove(kept: Kept, move: Move): void {
  const { from, to } = move;
  const place = kept.place.peek();
  const draft = kept.drafts.find(from);
  const isOfFrom = (each: Conversation | undefined): boolean => isSameConversation(each, from);
  if (place.view === 'messages' && isOfFrom(conversationAt(place))) {
    // Who stays goes on writing there.
    if (!isReaderMoved(kept, place.narrow, move)) return;
    takeKeptAlong(kept, from, to);
    const topId = kept.lists.open(place.narrow).readerAt;
    kept.correct({
      view: 'messages',
      narrow: narrowOf(to),
      ...(topId !== undefined && { at: { topId } }),
    });
    if (!isSameConversation(from, to)) followedMove.value = move;
  } else if (
    draft !== undefined ||
    [kept.composing.peek(), ...kept.visited.items.peek()].some(isOfFrom)
  ) {
    isLeft(kept, move)
      .then((isThere) => isThere || takeKeptAlong(kept, from, to))
      .catch(() => undefined);
  }
}

/** Leads back to the topic that messages moved away from. */
export function stayBehind(app: App, { from }: Move): void {
  followedMove.value = undefined;
  app.navigate({ view: 'messages', narrow: narrowOf(from) });
}

/**
 * Finds a message wherever it is.
 *
 * @throws ApiError or NoAnswerError
 */
async function findMessage(store: MessageStore, id: number): Promise<Message | undefined> {
  const isIt = { operator: 'id', operand: String(id) };
  // First what the person has, then what is open to them.
  for (const within of [[], [{ operator: 'streams', operand: 'public' }]]) {
    const narrow = [...within, isIt];
    const page = await store.read({ anchor: String(id), num_before: 0, num_after: 0, narrow });
    if (page.messages[0] !== undefined) return page.messages[0];
  }
  return undefined;
}

/**
 * Corrects a place that leads to a message which is in another conversation now.
 *
 * @returns whether there is such a message
 * @throws ApiError or NoAnswerError
 */
export async function correctPlace(app: App, place: MessagesPlace, id: number): Promise<boolean> {
  const message = await findMessage(app.lists.store, id);
  if (message === undefined) return false;
  if (app.place.peek() !== place) return true;
  const from = conversationAt(place);
  const to = conversationOfMessage(message, app.state);
  // Of a topic that goes on everything stays, but for one message.
  const isLeft = app.lists.open(place.narrow).ids.peek().length > 0;
  if (from !== undefined && !isLeft) takeKeptAlong(app, from, to);
  app.visited.visit(to);
  app.correct({ ...place, narrow: narrowOf(to) });
  // Who followed a link wanted the message, and not the topic.
  if (place.near === undefined && from?.type === 'stream' && to.type === 'stream')
    followedMove.value = { from, to, ids: [id], isOfTopic: true };
  return true;
}

/** Whether the server knows no such stream, person or operator. */
export function isUnknown(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && failure.code === 'BAD_NARROW';
}
