import type { IncomingMessage } from 'node:http';

import type { Clock } from '@parley/clock';
import type { Logger } from '@parley/telemetry/logging';
import type { SessionCookie } from '@parley/auth/identity';
import type { HeldBodies, ServiceMetrics } from '@parley/server';

import type { EventsHop } from './events-hop.ts';
import type { Forwarder } from './forward.ts';
import type { UploadForwarder } from './forward-upload.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { OpenRequests } from './open-requests.ts';
import type { AdmittedRequest, Checks, Readings } from './admit.ts';
import type { AnswerPage } from './pages.ts';
import type { PasswordLines } from './password-lines.ts';
import type { SignInPlaces } from './sign-in-places.ts';
import type { Upstreams } from './upstreams.ts';

/** Everything that the handling of a request may use. */
export type GatewayContext = Checks &
  Readings & {
    readonly clock: Clock;
    readonly log: Logger;
    /** Whether the request's trace context may be trusted. */
    readonly isFromTrustedProxy: (request: IncomingMessage) => boolean;
    readonly metrics: GatewayMetrics;
    readonly serviceMetrics: ServiceMetrics;
    readonly upstreams: Upstreams;
    readonly forwarder: Forwarder;
    readonly uploadForwarder: UploadForwarder;
    readonly answerPage: AnswerPage;
    readonly eventsHop: EventsHop;
    readonly signIdentity: (admitted: Pick<AdmittedRequest, 'caller' | 'requestId'>) => string;
    readonly answerTimeoutMs: number;
    readonly pollBoundMs: number;
    readonly heldBodies: HeldBodies;
    readonly openRequests: OpenRequests;
    readonly passwordLines: PasswordLines;
    readonly signInPlaces: SignInPlaces;
    /** How a browser keeps by what it is known. */
    readonly deviceCookie: SessionCookie;
  };
