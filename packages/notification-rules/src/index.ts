export { channels, notificationsFor } from './notifications.ts';
export { wordsOf } from './words.ts';
export type {
  Attention,
  Channel,
  JudgedMessage,
  Notifications,
  Reason,
  Recipient,
} from './notifications.ts';
