import { ApiError, notAuthenticated } from '@parley/api';
import { BatchedReads, createPool } from '@parley/database';
import type { Pool } from '@parley/database';
import { HeldBodies, RateLimiter, faultLogger, registerStoreMetrics } from '@parley/server';
import type { ServiceFrame, StartService } from '@parley/server';
import { deviceCookieOf, signIdentity } from '@parley/auth/identity';
import { linkRequestId } from '@parley/server/links';
import { subjectLogger } from '@parley/telemetry/logging';
import { LiveServices } from '@parley/cluster/placement';
import { connectForRequests, connectForSubscriptions } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { findAccountsByKeys, findAccountsBySessions, noteSessionUses } from '@parley/store';
import { findScimTokens } from '@parley/store/scim';
import type { ScimTokenInUse } from '@parley/store/scim';

import { refusalForBrowser } from './admit.ts';
import type { AdmittedRequest } from './admit.ts';
import { AnswerCompression } from './answer-compression.ts';
import { answerHeadersOf } from './answer-headers.ts';
import { createApp } from './app.ts';
import { checkAccount, checkKey } from './authenticate.ts';
import { browserRequests } from './browser-request.ts';
import { clientAddresses, trustedPeers } from './client-address.ts';
import type { GatewayContext } from './context.ts';
import { CredentialCache, credentialReads } from './credential-cache.ts';
import { EventsHop } from './events-hop.ts';
import { Forwarder, answerTimeoutsMax } from './forward.ts';
import { UploadForwarder } from './forward-upload.ts';
import { LoginLimiter } from './login-limit.ts';
import { createGatewayMetrics } from './metrics.ts';
import type { GatewayMetrics } from './metrics.ts';
import { OpenRequests } from './open-requests.ts';
import { createPages } from './pages.ts';
import { PasswordLines } from './password-lines.ts';
import { ServiceLinks } from './service-links.ts';
import { SessionUses } from './session-uses.ts';
import { SignInPlaces } from './sign-in-places.ts';
import { StreamWrites } from './stream-answer.ts';
import { Upstreams } from './upstreams.ts';

/** A client waits this much longer for a poll than the event nodes hold it. */
const pollBoundMarginMs = 5_000;

/** The gateway is ready if Postgres answered within this time, because then it knows the leases. */
const readyHeardWithinMs = 5_000;

/** A look-up of a key that Postgres does not answer in this time gets 503. */
const lookupTimeoutMs = 5_000;

/** All attempts to forward a login take at most their time limit plus this. */
const attemptMarginMs = 1_000;

type GatewayStores = {
  readonly pool: Pool;
  readonly redis: Redis;
  /** The leases of all nodes, and account changes. */
  readonly live: LiveServices;
};

async function openStores(frame: ServiceFrame): Promise<GatewayStores> {
  const { clock, config, log, metrics } = frame;
  const databaseUrl = config.database.url.reveal();
  const pool = createPool({
    databaseUrl,
    clock,
    applicationName: `parley-gateway ${config.nodeId}`,
    connectionsMax: config.database.poolMax,
    connectTimeoutMs: Math.min(config.database.connectTimeoutMs, lookupTimeoutMs),
    statementTimeoutMs: Math.min(config.database.statementTimeoutMs, lookupTimeoutMs),
    onError: (error) => log.info({ err: error }, 'a connection to Postgres was lost'),
  });
  frame.onDispose('database', () => pool.end());
  const redis = connectForRequests(config.redis, subjectLogger(log, 'gateway:limits'), clock);
  frame.onDispose('redis', () => redis.disconnect());
  registerStoreMetrics(metrics.registry, pool, redis);
  const subscriber = connectForSubscriptions(
    config.redis,
    subjectLogger(log, 'gateway:leases'),
    clock,
  );
  frame.onDispose('redis subscriptions', () => subscriber.disconnect());
  const live = new LiveServices({
    databaseUrl,
    clock,
    subscriber,
    keyPrefix: config.redis.prefix,
    applicationName: `parley-gateway-leases ${config.nodeId}`,
    log: subjectLogger(log, 'gateway:leases'),
  });
  await live.start();
  frame.onDispose('leases', () => live.stop());
  frame.onSettle('leases and account changes', () => live.settle());
  frame.addReadinessCheck('postgres', () => {
    if (!live.heardWithinMs(readyHeardWithinMs)) throw new Error('Postgres does not answer');
  });
  return { pool, redis, live };
}

function openCredentials(
  frame: ServiceFrame,
  { pool, live }: GatewayStores,
  counts: GatewayMetrics,
): CredentialCache {
  const { keySecret, keySecretPrevious } = frame.config;
  const keySecrets = deriveKeySecrets(keySecret.reveal(), keySecretPrevious?.reveal());
  const credentials = new CredentialCache({
    clock: frame.clock,
    readAccounts: (apiKeys) => findAccountsByKeys(pool, keySecrets, apiKeys),
    changeSource: live,
    onLookup: (outcome) => counts.credentialLookups.inc({ outcome }),
  });
  frame.onDispose('credentials', () => credentials.stop());
  return credentials;
}

type Logins = Pick<GatewayContext, 'credentials' | 'sessions' | 'sessionUses' | 'findScimToken'>;

function openLogins(frame: ServiceFrame, stores: GatewayStores, counts: GatewayMetrics): Logins {
  const { pool, live } = stores;
  const { sessionIdleSecs } = frame.config;
  const sessions = new CredentialCache({
    clock: frame.clock,
    readAccounts: (tokens) => findAccountsBySessions(pool, tokens, sessionIdleSecs),
    changeSource: live,
    onLookup: (outcome) => counts.credentialLookups.inc({ outcome }),
  });
  frame.onDispose('sessions', () => sessions.stop());
  const sessionUses = new SessionUses({
    clock: frame.clock,
    note: (sessionIds) => noteSessionUses(pool, sessionIds),
    log: frame.log,
  });
  frame.onDispose('uses of sessions', () => sessionUses.stop());
  frame.onSettle('uses of sessions', () => sessionUses.settle());
  const scimTokens = new BatchedReads<string, ScimTokenInUse>(
    (tokens) => findScimTokens(pool, tokens),
    credentialReads,
  );
  return {
    credentials: openCredentials(frame, stores, counts),
    sessions,
    sessionUses,
    findScimToken: (token) => scimTokens.find(token),
  };
}

type Limits = Pick<GatewayContext, 'rateLimiter' | 'loginLimiter' | 'passwordLines'>;

function openLimits(
  { clock, config, log, metrics }: ServiceFrame,
  redis: Redis,
  counts: GatewayMetrics,
): Limits {
  const logFault = faultLogger(
    log,
    'counting requests and logins failed, so they pass uncounted',
    clock,
  );
  const onUncounted = (error: unknown): void => {
    counts.uncountedRequests.inc();
    logFault(error);
  };
  const { prefix: keyPrefix } = config.redis;
  return {
    rateLimiter: new RateLimiter({
      clock,
      redis,
      keyPrefix,
      limits: config.rateLimits,
      strangerLimits: config.strangerLimits,
      singleSignOnLimits: config.singleSignOnLimits,
      scimLimits: config.scimLimits,
      budgetsPerOwnerMax: config.budgetsPerOwnerMax,
      onRefused: () => counts.rateLimited.inc(),
      onUncounted,
    }),
    loginLimiter: new LoginLimiter({
      clock,
      redis,
      keyPrefix,
      limits: config.loginLimits,
      attemptMaxMs: config.upstreamTimeoutMs * answerTimeoutsMax + attemptMarginMs,
      onFailed: (kind) => counts.failedLogins.inc({ kind }),
      onRefused: (kind) => counts.refusedLogins.inc({ kind }),
      onUncounted,
    }),
    passwordLines: new PasswordLines({
      clock,
      atOnceMax: config.passwordsAtOnceMax,
      onRefused: () => counts.refusedLogins.inc({ kind: 'password' }),
      registry: metrics.registry,
    }),
  };
}

function openSignInPlaces({ clock, config, ...frame }: ServiceFrame, pool: Pool): SignInPlaces {
  const places = new SignInPlaces({
    pool,
    secret: config.keySecret.reveal(),
    onFault: faultLogger(frame.log, 'remembering where somebody signed in failed', clock),
  });
  frame.onSettle('places of sign-ins', () => places.isSettled);
  return places;
}

function openStreams({ clock, config }: ServiceFrame, counts: GatewayMetrics): StreamWrites {
  const { stallMs, unreadMaxBytes } = config.queues.stream;
  return new StreamWrites({
    clock,
    unreadMaxBytes,
    stallMs,
    onBytes: counts.countStreamBytes,
    onCutOff: () => counts.streamCutOffs.inc(),
  });
}

type SignIdentity = GatewayContext['signIdentity'];

function openLinks(frame: ServiceFrame, upstreams: Upstreams, sign: SignIdentity): ServiceLinks {
  const links = new ServiceLinks({
    clock: frame.clock,
    localNodes: frame.localNodes,
    signIdentity: () => sign({ caller: null, requestId: linkRequestId }),
    // A broken link shows the loss of a node sooner than its lease does.
    onLeaving: (nodeId) => upstreams.suspect(nodeId),
  });
  frame.onDispose('links', () => links.closeAll());
  return links;
}

function openUploads(
  frame: ServiceFrame,
  upstreams: Upstreams,
  counts: GatewayMetrics,
): UploadForwarder {
  const { clock, config } = frame;
  const uploads = new UploadForwarder({
    clock,
    fileMaxBytes: config.uploads.fileMaxBytes,
    answerTimeoutMs: config.upstreamTimeoutMs,
    onUnreachable: ({ nodeId, service }) => {
      upstreams.suspect(nodeId);
      counts.upstreamRetries.inc({ service, reason: 'unreachable' });
    },
    readLeases: () => upstreams.list.readAgain(),
  });
  frame.onDispose('uploads', () => uploads.stop());
  return uploads;
}

function openCompression(counts: GatewayMetrics): AnswerCompression {
  return new AnswerCompression({
    onCompressed: (plainBytes, bytes) => {
      counts.compressedBytes.inc({ form: 'plain' }, plainBytes);
      counts.compressedBytes.inc({ form: 'gzip' }, bytes);
    },
    onRefused: () => counts.uncompressedAnswers.inc(),
  });
}

/** Starts a gateway on a service frame. It is stateless, so only its connections have to be released. */
export const startGateway: StartService = async (frame: ServiceFrame) => {
  const { clock, config, log, metrics } = frame;
  const stores = await openStores(frame);
  const { live } = stores;
  let eventsHop: EventsHop | undefined;
  const counts = createGatewayMetrics(metrics.registry, {
    heldPolls: () => eventsHop?.heldPolls ?? 0,
    openStreams: () => eventsHop?.openStreams ?? 0,
    unreadBytes: () => eventsHop?.unreadBytes ?? 0,
  });
  const logins = openLogins(frame, stores, counts);
  const [internalSecret] = config.internalSecrets;
  const sign: SignIdentity = ({ caller, requestId }) =>
    signIdentity(internalSecret.reveal(), caller, { requestId, nowMs: clock.nowMs() });
  const upstreams = new Upstreams(live, clock);
  const links = openLinks(frame, upstreams, sign);
  const compression = openCompression(counts);
  const forwarder = new Forwarder({
    clock,
    upstreams,
    links,
    compression,
    onRetry: (service, reason) => counts.upstreamRetries.inc({ service, reason }),
    onAccountsChanged: (changed) => {
      for (const cache of [logins.credentials, logins.sessions]) cache.forget(changed);
    },
  });
  frame.onDispose('forwarder', () => forwarder.stop());
  const uploadForwarder = openUploads(frame, upstreams, counts);
  const pollBoundMs = config.queues.heartbeatMaxMs + pollBoundMarginMs;
  const hop = new EventsHop({
    clock,
    upstreams,
    links,
    compression,
    pollBoundMs,
    streamBoundMs: config.queues.stream.lifetimeMs,
    findRefusal: (admitted) => findRefusal(logins, admitted),
    onMoved: (reason) => counts.movedPolls.inc({ reason }),
    streams: openStreams(frame, counts),
  });
  eventsHop = hop;
  frame.onDispose('events hop', () => hop.stop());
  frame.onDispose(
    'account changes',
    live.onAccountsChanged((userIds) => hop.recheck(userIds)),
  );
  frame.onSettle('checks of held polls', () => hop.isSettled);
  frame.onDrain('held polls', () => hop.drain());
  const openRequests = new OpenRequests();
  frame.onSettle('requests', () => openRequests.isEmpty);
  return createApp({
    clock,
    log,
    answerHeadersOf: answerHeadersOf(config),
    browserOf: browserRequests(config.publicUrl),
    metrics: counts,
    serviceMetrics: metrics,
    ...logins,
    ...openLimits(frame, stores.redis, counts),
    signInPlaces: openSignInPlaces(frame, stores.pool),
    deviceCookie: deviceCookieOf(config.publicUrl),
    addressOf: clientAddresses(config.trustedProxies),
    isFromTrustedProxy: trustedPeers(config.trustedProxies),
    upstreams,
    forwarder,
    uploadForwarder,
    answerPage: createPages(frame),
    eventsHop: hop,
    signIdentity: sign,
    answerTimeoutMs: config.upstreamTimeoutMs,
    pollBoundMs,
    heldBodies: new HeldBodies(config.heldBodiesMaxBytes, metrics.registry),
    openRequests,
    isDevelopment: config.mode === 'development',
  });
};

async function findRefusal(
  { credentials: keys, sessions }: Logins,
  admitted: AdmittedRequest,
): Promise<ApiError | undefined> {
  const {
    credentials: given,
    endpoint: { access },
  } = admitted;
  if (given === null || access.authentication !== 'required') return undefined;
  try {
    if ('sessionToken' in given) {
      const account = await sessions.findInStore(given.sessionToken);
      if (account === undefined) throw notAuthenticated();
      checkAccount(account, access);
    } else {
      const account = await keys.findInStore(given.apiKey);
      checkAccount(checkKey(given, account), access);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return refusalForBrowser(admitted, error);
    throw error;
  }
}
