import { composeText } from '@parley/composing';
import type { ComposedText } from '@parley/composing';
import { findSubjectLinks } from '@parley/markdown';
import { ensureTopicConversation, translatesEmoticons } from '@parley/store';
import type { MessageFacts, NewContent, NewTopic } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { findNames } from '../sending/render-names.ts';
import type { CheckedEdit } from './check-edit.ts';

/** A new text, and its difference from the text that was there when it was composed. */
export type NewText = ComposedText & {
  readonly content: string;
  readonly previousHtml: string;
  readonly htmlDiff: string;
};

/** The parts of an edit that are made before any lock, so that nobody waits for rendering. */
export type ComposedEdit = {
  readonly text: NewText | undefined;
  readonly topic: NewTopic | undefined;
};

/**
 * Renders the new text, and finds or creates the conversation of a new topic.
 *
 * @throws ApiError `Unable to render message`; 503
 */
export async function composeEdit(
  context: MessagesContext,
  { message, content, topic }: CheckedEdit,
): Promise<ComposedEdit> {
  const { streamId } = message;
  const [text, newTopic] = await Promise.all([
    content === undefined ? undefined : composeNewText(context, message, content),
    topic === undefined || streamId === null ? undefined : composeTopic(context, streamId, topic),
  ]);
  return { text, topic: newTopic };
}

/** Only the sender may change the text, so it is rendered as the sender's. */
async function composeNewText(
  context: MessagesContext,
  { senderId, renderedContent }: MessageFacts,
  content: string,
): Promise<NewText> {
  const { pool, renderer, publicUrl } = context;
  const [translateEmoticons, realm, named] = await Promise.all([
    translatesEmoticons(pool, senderId),
    context.realmFacts.get(),
    findNames(pool, senderId, content),
  ]);
  const source = { sender: { translateEmoticons }, realm, realmUri: publicUrl, named, renderer };
  const text = await composeText(content, source);
  return {
    ...text,
    content,
    previousHtml: renderedContent,
    htmlDiff: await renderer.compare(renderedContent, text.rendered.html),
  };
}

async function composeTopic(
  context: MessagesContext,
  streamId: number,
  topic: string,
): Promise<NewTopic> {
  const [realm, conversationId] = await Promise.all([
    context.realmFacts.get(),
    ensureTopicConversation(context.pool, streamId, topic),
  ]);
  return { topic, conversationId, subjectLinks: findSubjectLinks(topic, realm) };
}

/** @returns the new text in the form of the message's row */
export function storedContent(
  text: NewText,
  before: MessageFacts,
  hasAttachment: boolean,
): NewContent {
  const { rendered } = text;
  return {
    content: text.content,
    renderedContent: rendered.html,
    isMeMessage: rendered.isMeMessage,
    hasLink: rendered.hasLink,
    hasImage: rendered.hasImage,
    hasAttachment,
    mentionsWildcard: rendered.mentionsWildcard,
    groupMentionedIds: text.groupMentionedIds,
    alertWordIds: text.alertWordIds,
    // If another edit came between, the difference is made when the history is read.
    contentHtmlDiff: text.previousHtml === before.renderedContent ? text.htmlDiff : null,
  };
}
