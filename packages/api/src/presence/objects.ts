import { Type } from 'typebox';

import {
  boolean,
  described,
  float,
  integer,
  mapOf,
  object,
  oneOfTexts,
  text,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';

/** Presence (contract, Presence; reference facts, events 13). */

const presenceMembers = {
  client: described(text, 'The client that the entry is about'),
  status: oneOfTexts(['active', 'idle']),
  timestamp: described(integer, 'Seconds since 1970; more than a few minutes ago means offline'),
};

export const clientPresenceSchema = object(
  { ...presenceMembers, pushable: boolean },
  { name: 'ClientPresence' },
);

export type ClientPresence = Value<typeof clientPresenceSchema>;

const aggregatedPresenceSchema = object(presenceMembers, { name: 'AggregatedPresence' });

export type AggregatedPresence = Value<typeof aggregatedPresenceSchema>;

/** The presence of one person. */
export const presenceSchema = Type.Unsafe<
  { aggregated: AggregatedPresence } & Record<string, ClientPresence | AggregatedPresence>
>({
  name: 'Presence',
  description: 'By client name; `aggregated` is the entry of the client with the newest report',
  type: 'object',
  properties: { aggregated: aggregatedPresenceSchema },
  required: ['aggregated'],
  additionalProperties: clientPresenceSchema,
});

export type Presence = Value<typeof presenceSchema>;

export const presencesSchema = mapOf(
  presenceSchema,
  'By email address: active people with a report in the last 14 days',
);

export const serverTimestampSchema = described(float, 'Seconds since 1970, with a fraction');
