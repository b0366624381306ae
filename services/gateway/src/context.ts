import type { IncomingMessage } from 'node:http';

import type { Logger } from '@parley/logging';
import type { HeldBodies, ServiceMetrics } from '@parley/server';

import type { AnswerPage } from './api-reference.ts';
import type { EventsHop } from './events-hop.ts';
import type { Forwarder } from './forward.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { AdmittedRequest, Checks, Readings } from './admit.ts';
import type { PasswordLines } from './password-lines.ts';
import type { Upstreams } from './upstreams.ts';
import type { WebClient } from './web-client.ts';

/** Everything that the handling of a request may use. */
export type GatewayContext = Checks &
  Readings & {
    readonly log: Logger;
    /** Whether the request's trace context may be trusted. */
    readonly isFromTrustedProxy: (request: IncomingMessage) => boolean;
    readonly metrics: GatewayMetrics;
    readonly serviceMetrics: ServiceMetrics;
    readonly upstreams: Upstreams;
    readonly forwarder: Forwarder;
    readonly answerPage: AnswerPage;
    readonly webClient: WebClient;
    readonly eventsHop: EventsHop;
    readonly signIdentity: (admitted: Pick<AdmittedRequest, 'caller' | 'requestId'>) => string;
    readonly answerTimeoutMs: number;
    readonly pollBoundMs: number;
    /** The largest file that may be uploaded. */
    readonly fileMaxBytes: number;
    readonly heldBodies: HeldBodies;
    readonly passwordLines: PasswordLines;
  };
