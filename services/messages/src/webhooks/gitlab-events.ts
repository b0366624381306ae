import type { DecodedParameters } from '@parley/api';
import type { Value } from '@parley/api/schema';
import type { gitlabWebhook } from '@parley/api/webhooks';

import type { Readers } from './integration.ts';

/** The declared payload of an event. */
export type GitlabPayload<Event extends keyof typeof gitlabWebhook.payloads> = Value<
  (typeof gitlabWebhook.payloads)[Event]
>;

export type GitlabReaders = Readers<
  typeof gitlabWebhook.payloads,
  DecodedParameters<typeof gitlabWebhook.parameters>
>;
