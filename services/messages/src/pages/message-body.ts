import type { MessageTexts, ShownMessage } from '@parley/store';

import type { RenderedMessage } from '../narrow/search-matches.ts';

/** A kept version of a message: the data of its flags, and its own content as JSON. */
export type MessageBody = Pick<
  ShownMessage,
  | 'id'
  | 'epoch'
  | 'version'
  | 'bytes'
  | 'senderId'
  | 'streamId'
  | 'conversationId'
  | 'readConversationId'
  | 'participantIds'
  | 'topic'
  | 'isReadBySender'
  | 'mentionsWildcard'
  | 'groupMentionedIds'
  | 'alertWordIds'
> & {
  /** The JSON of the shown content. */
  readonly contentJson: string;
  /** The JSON of the rendered content, if it was read. */
  readonly renderedJson: string | undefined;
  /** The other members that follow from the message alone, in the form within an object. */
  readonly membersJson: string;
  readonly editHistoryJson: string | undefined;
  /** Each without its user and its end. */
  readonly reactions: readonly { readonly userId: number; readonly json: string }[];
  /** Approximate bytes of memory. */
  readonly keptBytes: number;
};

/** For the objects and short texts of a body, beside the parts that grow. */
const bodyOverheadBytes = 1_024;
/** For the objects of a reaction, beside its text. */
const reactionBytes = 120;
const idBytes = 8;

/** @returns the memory of a text: one letter beyond Latin-1 makes each take two bytes; here any letter beyond ASCII counts so */
function textBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

function membersJson(shown: ShownMessage, texts: MessageTexts): string {
  const object = JSON.stringify({
    id: shown.id,
    sender_id: shown.senderId,
    content_type: texts === 'rendered' ? 'text/html' : 'text/x-markdown',
    recipient_id: shown.recipientId,
    timestamp: shown.sentAtSecs,
    client: shown.client,
    subject: shown.topic,
    subject_links: shown.subjectLinks ?? [],
    is_me_message: shown.isMeMessage,
    submessages: shown.submessages,
    type: shown.streamId === null ? 'private' : 'stream',
    ...(shown.streamId === null ? {} : { stream_id: shown.streamId }),
    ...(shown.lastEditedAtSecs === null ? {} : { last_edit_timestamp: shown.lastEditedAtSecs }),
  });
  return object.slice(1, -1);
}

function reactionJson(reaction: ShownMessage['reactions'][number]): string {
  const object = JSON.stringify({
    emoji_name: reaction.emojiName,
    emoji_code: reaction.emojiCode,
    reaction_type: reaction.reactionType,
    user_id: reaction.userId,
  });
  return object.slice(0, -1);
}

/** @param texts that were read; if both, the original one is shown */
export function messageBodyOf(shown: ShownMessage, texts: MessageTexts): MessageBody {
  const renderedJson =
    shown.renderedContent === null ? undefined : JSON.stringify(shown.renderedContent);
  const contentJson =
    texts === 'rendered' && renderedJson !== undefined
      ? renderedJson
      : JSON.stringify(shown.content ?? '');
  const members = membersJson(shown, texts);
  const { lastEditedAtSecs, editHistory, reactions, groupMentionedIds, alertWordIds } = shown;
  const editHistoryJson =
    lastEditedAtSecs === null || editHistory === null ? undefined : JSON.stringify(editHistory);
  const shownReactions = reactions.map((reaction) => ({
    userId: reaction.userId,
    json: reactionJson(reaction),
  }));
  const lists = [groupMentionedIds, alertWordIds, shown.participantIds ?? []];
  return {
    id: shown.id,
    epoch: shown.epoch,
    version: shown.version,
    bytes: shown.bytes,
    senderId: shown.senderId,
    streamId: shown.streamId,
    conversationId: shown.conversationId,
    readConversationId: shown.readConversationId,
    participantIds: shown.participantIds,
    topic: shown.topic,
    isReadBySender: shown.isReadBySender,
    mentionsWildcard: shown.mentionsWildcard,
    groupMentionedIds,
    alertWordIds,
    contentJson,
    renderedJson,
    membersJson: members,
    editHistoryJson,
    reactions: shownReactions,
    keptBytes:
      bodyOverheadBytes +
      [members, contentJson, texts === 'both' ? renderedJson : '', editHistoryJson]
        .map((json) => textBytes(json ?? ''))
        .reduce((sum, bytes) => sum + bytes) +
      shownReactions.reduce((sum, { json }) => sum + reactionBytes + textBytes(json), 0) +
      lists.reduce((sum, list) => sum + list.length, 0) * idBytes,
  };
}

/** @throws Error if the rendered content was not read */
export function renderedOf({ topic, renderedJson }: MessageBody): RenderedMessage {
  const renderedContent: unknown = JSON.parse(renderedJson ?? 'null');
  if (typeof renderedContent !== 'string') throw new Error('the rendered content was not read');
  return { topic, renderedContent };
}
