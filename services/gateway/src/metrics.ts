import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** What only a gateway counts; requests by endpoint and status are the service frame's. */
export type GatewayMetrics = {
  readonly requests: Counter<'service' | 'status'>;
  readonly heldPolls: Gauge;
  readonly openStreams: Gauge;
  readonly streamBytes: Counter;
  readonly streamCutOffs: Counter;
  readonly movedPolls: Counter<'reason'>;
  readonly credentialLookups: Counter<'outcome'>;
  readonly compressedBytes: Counter<'form'>;
  readonly uncompressedAnswers: Counter;
  readonly upstreamRetries: Counter<'service' | 'reason'>;
  readonly rateLimited: Counter;
  readonly uncountedRequests: Counter;
  readonly failedLogins: Counter<'kind'>;
  readonly refusedLogins: Counter<'kind'>;
};

type PollMetrics = Pick<
  GatewayMetrics,
  'heldPolls' | 'openStreams' | 'streamBytes' | 'streamCutOffs' | 'movedPolls'
>;

function createPollMetrics(
  registry: Registry,
  observe: { readonly heldPolls: () => number; readonly openStreams: () => number },
): PollMetrics {
  const registers = [registry];
  return {
    heldPolls: new Gauge({
      name: 'parley_gateway_held_polls',
      help: 'Polls of event queues that wait for an answer',
      registers,
      collect() {
        this.set(observe.heldPolls());
      },
    }),
    openStreams: new Gauge({
      name: 'parley_gateway_open_streams',
      help: 'Streams of events that flow to clients',
      registers,
      collect() {
        this.set(observe.openStreams());
      },
    }),
    streamBytes: new Counter({
      name: 'parley_gateway_stream_bytes_total',
      help: 'Bytes that streams of events brought to clients',
      registers,
    }),
    streamCutOffs: new Counter({
      name: 'parley_gateway_stream_cut_offs_total',
      help: 'Streams whose clients took nothing for too long',
      registers,
    }),
    movedPolls: new Counter({
      name: 'parley_gateway_moved_polls_total',
      help: 'Held polls that went on at another event node, and streams that ended for it, by reason',
      labelNames: ['reason'],
      registers,
    }),
  };
}

type LimitMetrics = Pick<
  GatewayMetrics,
  'rateLimited' | 'uncountedRequests' | 'failedLogins' | 'refusedLogins'
>;

function createLimitMetrics(registry: Registry): LimitMetrics {
  const registers = [registry];
  const metrics: LimitMetrics = {
    rateLimited: new Counter({
      name: 'parley_gateway_rate_limited_total',
      help: 'Requests of known users refused with 429',
      registers,
    }),
    uncountedRequests: new Counter({
      name: 'parley_gateway_rate_limit_uncounted_total',
      help: 'Requests and logins that passed without being counted because Redis was away',
      registers,
    }),
    failedLogins: new Counter({
      name: 'parley_gateway_failed_logins_total',
      help: 'Logins that failed, by what was wrong: password or key',
      labelNames: ['kind'],
      registers,
    }),
    refusedLogins: new Counter({
      name: 'parley_gateway_logins_refused_total',
      help: 'Logins refused with 429 after too many failed ones or too long a wait, by what would have been judged: password or key',
      labelNames: ['kind'],
      registers,
    }),
  };
  // From 0 on: a counter that begins with its first event hides that event from rates.
  for (const kind of ['password', 'key']) {
    metrics.failedLogins.inc({ kind }, 0);
    metrics.refusedLogins.inc({ kind }, 0);
  }
  return metrics;
}

/** @param observe tells how many polls are held and streams are open, whenever the metrics are read */
export function createGatewayMetrics(
  registry: Registry,
  observe: { readonly heldPolls: () => number; readonly openStreams: () => number },
): GatewayMetrics {
  const registers = [registry];
  return {
    ...createPollMetrics(registry, observe),
    ...createLimitMetrics(registry),
    requests: new Counter({
      name: 'parley_gateway_requests_total',
      help: 'Requests by the service that they belong to and the status of the answer; none: refused before routing',
      labelNames: ['service', 'status'],
      registers,
    }),
    credentialLookups: new Counter({
      name: 'parley_gateway_credential_lookups_total',
      help: 'Look-ups of API keys: hits of the cache, misses that asked the store',
      labelNames: ['outcome'],
      registers,
    }),
    compressedBytes: new Counter({
      name: 'parley_gateway_compressed_bytes_total',
      help: 'Bytes of the answers that this gateway compressed: plain, and as gzip',
      labelNames: ['form'],
      registers,
    }),
    uncompressedAnswers: new Counter({
      name: 'parley_gateway_uncompressed_answers_total',
      help: 'Answers that went as they are, because too many bytes waited for being compressed',
      registers,
    }),
    upstreamRetries: new Counter({
      name: 'parley_gateway_upstream_retries_total',
      help: 'Attempts at a service that failed: node unreachable, or reply lost',
      labelNames: ['service', 'reason'],
      registers,
    }),
  };
}
