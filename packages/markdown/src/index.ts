export { alertWordMatches } from './alert-words.ts';
export { descriptionRenderer } from './description-renderer.ts';
export type { DescriptionRenderer } from './description-renderer.ts';
export { extraEmoji, findEmojiCode, namesOfEmojiCode } from './emoji-catalogue.ts';
export { htmlDiff } from './html-diff/html-diff.ts';
export { isLinkifierPattern } from './linkifier-shape.ts';
export { messageLink, unnamedMessageLink } from './message-link.ts';
export type { MessagePlace } from './message-link.ts';
export { mentionCandidates } from './mention-candidates.ts';
export type { MentionCandidates } from './mention-candidates.ts';
export { encodeThumbnailUrl } from './preview-sources.ts';
export { UnableToRender } from './render-context.ts';
export type {
  Linkifier,
  RenderContext,
  RenderedMessage,
  RenderSettings,
} from './render-context.ts';
export { contextOfData } from './render-data.ts';
export type { RenderData } from './render-data.ts';
export { renderMessage } from './render-message.ts';
export { normalisedLines, withoutDroppedCharacters } from './source-lines.ts';
export { StepBudget } from './step-budget.ts';
export { narrowEncode, streamOperand } from './stream-links.ts';
export { findSubjectLinks } from './subject-links.ts';
export { writeLink } from './write-link.ts';
