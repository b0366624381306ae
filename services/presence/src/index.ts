export { createPresenceApp } from './app.ts';
export type { PresenceContext } from './context.ts';
export { endpoints } from './endpoints/index.ts';
export { startPresence } from './service.ts';
