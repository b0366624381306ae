import { badRequest, limits } from '@parley/api';

const topicCut = '...';
const contentCut = '\n[message truncated]';
/** The text of a message whose text an edit removed. */
const deletedText = '(deleted)';

function cut(text: string, max: number, ending: string): string {
  // A text has at most as many code points as UTF-16 units.
  if (text.length <= max) return text;
  const codePoints = Array.from(text);
  return codePoints.length <= max
    ? text
    : codePoints.slice(0, max - ending.length).join('') + ending;
}

/**
 * The stored form of a topic: trimmed, and cut to its limit (reference facts, messages 3.4).
 *
 * @throws ApiError if it is absent, blank, or contains a NUL
 */
export function checkTopic(topic: string | undefined): string {
  if (topic === undefined) throw badRequest('Missing topic');
  const trimmed = topic.trim();
  if (trimmed === '') throw badRequest("Topic can't be empty");
  if (trimmed.includes('\0')) throw badRequest('Topic must not contain null bytes');
  return cut(trimmed, limits.topicMaxCodePoints, topicCut);
}

/**
 * The stored form of a message's text: white space at its end removed, and cut to its limit (reference facts, messages 3.4).
 *
 * @throws ApiError if it is empty or contains a NUL
 */
export function checkContent(content: string): string {
  const trimmed = content.trimEnd();
  if (trimmed === '') throw badRequest('Message must not be empty');
  if (trimmed.includes('\0')) throw badRequest('Message must not contain null bytes');
  return cut(trimmed, limits.contentMaxCodePoints, contentCut);
}

/** @returns a text of at most `max` code points, which says so if it was longer */
export function cutContent(text: string, max: number): string {
  return cut(text, max, contentCut);
}

/**
 * The stored form of an edit's text: trimmed at both ends, cut to its limit, and never empty (reference facts, messages 12).
 *
 * @throws ApiError if it contains a NUL
 */
export function checkEditedContent(content: string): string {
  const trimmed = content.trim();
  return trimmed === '' ? deletedText : checkContent(trimmed);
}
