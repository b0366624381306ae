export type { MessagesContext } from './context.ts';
export { endpoints } from './endpoints/index.ts';
export { BatchWriter } from './sending/batch-writer.ts';
export type { NewMessage } from './sending/check-message.ts';
export { MessageSender } from './sending/send.ts';
export { startMessages } from './service.ts';
