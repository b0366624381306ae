export { channels, notificationsFor } from './notifications.ts';
export type { PushPayload } from './push-payload.ts';
export { wordsOf } from './words.ts';
export type {
  Attention,
  Channel,
  JudgedMessage,
  Notifications,
  Reason,
  Recipient,
} from './notifications.ts';
