export * from './client-states.ts';
export * from './presence-json.ts';
export { SharedPresence } from './shared-presence.ts';
