export { channels, notificationsFor } from './notifications.ts';
export type {
  Attention,
  Channel,
  JudgedMessage,
  Notifications,
  Reason,
  Recipient,
} from './notifications.ts';
