import { openExpressHop } from '../controls/express-hop.ts';
import { Requesters } from '../requesters.ts';
import { writeGet } from '../requests.ts';
import type { LoadSystem } from '../load-system.ts';
import type { LoadOptions } from '../load-options.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';
import { openLongHistory, readHistoryLength } from './reads-history.ts';
import { openMarking, openRegistering } from './reads-state.ts';

const connections = 16;

/** Requests that only read, by closed-loop clients, and the marking of what is unread. */
export const readsScenario: MeasuredScenario = {
  name: 'reads',
  summary:
    'a cheap request against a bare proxy, pages and searches of a million messages, registering, marking as read',
  secs: 10,
  groups: (system, options) => [
    { name: 'a cheap endpoint', open: (rig) => openCheapEndpoint(system, options, rig) },
    { name: 'register', open: (rig) => openRegistering(system, options, rig) },
    { name: 'mark all as read', open: (rig) => openMarking(system, options, rig) },
    {
      name: `a history of ${readHistoryLength(options)} messages`,
      open: (rig) => openLongHistory(system, options, rig),
    },
  ],
};

async function openCheapEndpoint(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const url = system.urls[0] ?? '';
  const requesters = rig.addGenerators(new Requesters());
  const requests = system.accounts.map((account) => writeGet(url, '/api/v1/users/me', account));
  const overLink: Case = {
    name: 'GET over the link of a node',
    run: () =>
      requesters.measure(rig, { url, requests, expected: '"result":"success"', connections }),
  };
  return [overLink, ...(options.controls ? await openExpressHop(rig, connections) : [])];
}
