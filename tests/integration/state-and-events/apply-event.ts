/** Applies each event to a client's state, like clients do. */
import type { JsonObject } from '@parley/test-kit';

import type { ClientState, Fold } from './client-state.ts';
import { messageFolds } from './fold-messages.ts';
import { peopleFolds } from './fold-people.ts';
import { realmFolds } from './fold-realm.ts';
import { streamFolds } from './fold-streams.ts';

/** By event types that change a state. */
export const folds: Readonly<Record<string, Fold>> = {
  ...messageFolds,
  ...peopleFolds,
  ...realmFolds,
  ...streamFolds,
};

/** Events about no state (reference facts, events 4: types with no state). */
export const stateless: ReadonlySet<string> = new Set([
  'attachment',
  'heartbeat',
  'invites_changed',
  'realm_export',
  'submessage',
  'typing',
]);

/** @throws Error for an event of a type that no client knows */
export function applyEvent(client: ClientState, event: JsonObject): void {
  const type = event['type'] as string;
  const fold = folds[type];
  if (fold !== undefined) fold(client, event);
  else if (!stateless.has(type)) throw new Error(`an event of an unknown type: ${type}`);
}
