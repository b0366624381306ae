import { badRequest, limits } from '@parley/api';

const topicCut = '...';
const contentCut = '\n[message truncated]';
/** What stands in the place of a text that was edited away. */
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
 * A topic as it is stored: trimmed, and cut to its limit (reference facts, messages 3.4).
 *
 * @throws ApiError when it is absent, blank, or holds a NUL
 */
export function checkTopic(topic: string | undefined): string {
  if (topic === undefined) throw badRequest('Missing topic');
  const trimmed = topic.trim();
  if (trimmed === '') throw badRequest("Topic can't be empty");
  if (trimmed.includes('\0')) throw badRequest('Topic must not contain null bytes');
  return cut(trimmed, limits.topicMaxCodePoints, topicCut);
}

/**
 * A message's text as it is stored: white space at its end removed, and cut to its limit (reference facts, messages 3.4).
 *
 * @throws ApiError when it is empty or holds a NUL
 */
export function checkContent(content: string): string {
  const trimmed = content.trimEnd();
  if (trimmed === '') throw badRequest('Message must not be empty');
  if (trimmed.includes('\0')) throw badRequest('Message must not contain null bytes');
  return cut(trimmed, limits.contentMaxCodePoints, contentCut);
}

/**
 * A message's text as an edit stores it: trimmed at both ends, cut to its limit, and never empty (reference facts, messages 12).
 *
 * @throws ApiError when it holds a NUL
 */
export function checkEditedContent(content: string): string {
  const trimmed = content.trim();
  return trimmed === '' ? deletedText : checkContent(trimmed);
}
