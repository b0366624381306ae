export {
  applyReport,
  reportingClient,
  staleAfterMs,
  statesByUser,
  takeStates,
} from './client-states.ts';
export type { AppliedReport, ClientState, ClientStates, Report } from './client-states.ts';
export { clientPresence, listedForMs, presenceJson, serverTimestamp } from './presence-json.ts';
export { SharedPresence } from './shared-presence.ts';
