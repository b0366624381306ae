export { composeMessage, composeText, systemClientName } from './compose-message.ts';
export type { CheckedMessage, ComposedText, NewSubmessage } from './compose-message.ts';
export * from './first-messages.ts';
export * from './notice.ts';
export * from './realm-facts.ts';
export * from './text-widget.ts';
