export { composeMessage, composeText, systemClientName } from './compose-message.ts';
export type { CheckedMessage, ComposedText, NewSubmessage } from './compose-message.ts';
export {
  composeFirstMessages,
  composeOpenings,
  composeWelcome,
  firstMessagesMax,
  streamCreatedNotice,
  streamEventsTopic,
} from './first-messages.ts';
export {
  bold,
  codeBlock,
  joinNotices,
  link,
  listNotices,
  mention,
  notice,
  silentMention,
  streamLink,
  topicLink,
  streamName,
} from './notice.ts';
export type { Notice } from './notice.ts';
export { RealmFactsReader, noLinkifiers } from './realm-facts.ts';
export type { RealmFacts } from './realm-facts.ts';
export { findTextWidget } from './text-widget.ts';
