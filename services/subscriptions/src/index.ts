export type { SubscriptionsContext } from './context.ts';
export { endpoints } from './endpoints/index.ts';
export { startSubscriptions } from './service.ts';
