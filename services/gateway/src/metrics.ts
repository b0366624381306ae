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
    help: 'Bytes sent to clients over streams of events',
    registers,
    collect() {
      this.reset();
      this.inc(streamBytes);
    },
  });
  new Gauge({
    name: 'parley_gateway_stream_unread_bytes',
    help: 'Bytes of streams of events that clients have not read yet',
    registers,
    collect() {
      this.set(observe.unreadBytes());
    },
  });
  return {
    heldPolls: new Gauge({
      name: 'parley_gateway_held_polls',
      help: 'Polls waiting for an answer',
      registers,
      collect() {
        this.set(observe.heldPolls());
      },
    }),
    openStreams: new Gauge({
      name: 'parley_gateway_open_streams',
      help: 'Streams of events that are open',
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
      help: 'Streams of events ended because their clients did not read',
      registers,
    }),
    movedPolls: new Counter({
      name: 'parley_gateway_moved_polls_total',
      help: 'Held polls moved to another event node, and streams of events ended for the same purpose, by reason',
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
      help: 'Requests of authenticated users refused with 429',
      registers,
    }),
    uncountedRequests: new Counter({
      name: 'parley_gateway_rate_limit_uncounted_total',
      help: 'Requests and logins that passed uncounted because Redis was unavailable',
      registers,
    }),
    failedLogins: new Counter({
      name: 'parley_gateway_failed_logins_total',
      help: 'Failed logins, by kind of credential (password, key)',
      labelNames: ['kind'],
      registers,
    }),
    refusedLogins: new Counter({
      name: 'parley_gateway_logins_refused_total',
      help: 'Logins refused with 429 after too many failed logins or too long a wait, by kind of credential (password, key)',
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
      help: 'Requests, by service (none if refused before routing) and status of the answer',
      labelNames: ['service', 'status'],
      registers,
    }),
    credentialLookups: new Counter({
      name: 'parley_gateway_credential_lookups_total',
      help: 'Look-ups of API keys, by outcome (hit in the cache, miss that asked Postgres)',
      labelNames: ['outcome'],
      registers,
    }),
    compressedBytes: new Counter({
      name: 'parley_gateway_compressed_bytes_total',
      help: 'Bytes of answers that this gateway compressed, by form (before as plain, after as gzip)',
      labelNames: ['form'],
      registers,
    }),
    uncompressedAnswers: new Counter({
      name: 'parley_gateway_uncompressed_answers_total',
      help: 'Answers sent uncompressed because too many bytes were waiting for compression',
      registers,
    }),
    upstreamRetries: new Counter({
      name: 'parley_gateway_upstream_retries_total',
      help: 'Failed attempts to send a request to a node, by service and reason (node unreachable, answer lost)',
      labelNames: ['service', 'reason'],
      registers,
    }),
  };
}
