export {
  applyReport,
  reportingClient,
  staleAfterMs,
  statesByUser,
  takeStates,
} from './client-states.ts';
export type { AppliedReport, ClientState, ClientStates, Report } from './client-states.ts';
export * from './presence-json.ts';
export * from './shared-presence.ts';
