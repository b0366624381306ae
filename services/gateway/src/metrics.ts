import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Metrics of the gateway alone. The service frame counts requests by endpoint and status. */
export type GatewayMetrics = {
  readonly requests: Counter<'service' | 'status'>;
  readonly heldPolls: Gauge;
  readonly openStreams: Gauge;
  /** Counts bytes that a stream sent to its client. */
  readonly countStreamBytes: (count: number) => void;
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
  'heldPolls' | 'openStreams' | 'countStreamBytes' | 'streamCutOffs' | 'movedPolls'
>;

/** Values that are read together with the metrics. */
type Observed = {
  readonly heldPolls: () => number;
  readonly openStreams: () => number;
  /** Bytes that clients of streams have not read yet. */
  readonly unreadBytes: () => number;
};

function createPollMetrics(registry: Registry, observe: Observed): PollMetrics {
  const registers = [registry];
  // A plain number, because updating a counter would cost more than all other work for a part of a stream.
  let streamBytes = 0;
  new Counter({
    name: 'parley_gateway_stream_bytes_total',
    help: 'Bytes that streams of events brought to clients',
    registers,
    collect() {
      this.reset();
      this.inc(streamBytes);
    },
  });
  new Gauge({
    name: 'parley_gateway_stream_unread_bytes',
    help: 'Bytes of streams of events that wait for their clients to take them',
    registers,
    collect() {
      this.set(observe.unreadBytes());
    },
  });
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
    countStreamBytes: (count) => {
      streamBytes += count;
    },
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
  // Starts at 0, because a counter that begins with its first event hides that event from rates.
  for (const kind of ['password', 'key']) {
    metrics.failedLogins.inc({ kind }, 0);
    metrics.refusedLogins.inc({ kind }, 0);
  }
  return metrics;
}

export function createGatewayMetrics(registry: Registry, observe: Observed): GatewayMetrics {
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
