/** One held poll or stream: the node that it waits on, and how it moves to another. `events-hop.ts` lists its guarantees. */
import type { Agent, IncomingMessage, ServerResponse } from 'node:http';

import type { ApiError } from '@parley/api';
import { isEventStream, requestIdHeaderName, serviceUnavailable } from '@parley/api';
import { reconnectText, refusalEventText } from '@parley/api/events';
import { writeJson, writeRefusal } from '@parley/server';
import { LinkRefused, LinkUnreachable, goesOn, textOf } from '@parley/links';
import type {
  GatewayLink,
  LinkAnswer,
  LinkFault,
  LinkListener,
  LinkedHeaders,
} from '@parley/links';
import type { LiveNode } from '@parley/placement';

import type { AdmittedRequest } from './admit.ts';
import type { AnswerCompression, CompressedAnswer } from './answer-compression.ts';
import { connectionOfAnswer } from './forward.ts';
import { bodyOf } from './linked-attempt.ts';
import { HttpExchange } from './http-exchange.ts';
import type { ServiceLinks } from './service-links.ts';
import { StreamAnswer } from './stream-answer.ts';
import type { StreamWrites } from './stream-answer.ts';
import type { Upstreams } from './upstreams.ts';
import { isConnectFault } from './upstreams.ts';

export type EventsHopOptions = {
  readonly upstreams: Upstreams;
  readonly links: ServiceLinks;
  readonly compression: AnswerCompression;
  /** The longest time that a client waits for an answer, above the time that event nodes hold a poll. */
  readonly pollBoundMs: number;
  /** The longest lifetime of a stream. */
  readonly streamBoundMs: number;
  readonly signIdentity: (admitted: Pick<AdmittedRequest, 'caller' | 'requestId'>) => string;
  /** Checks a poll's credentials against the store. Returns the refusal that they get now, or undefined. Throws while the store is down. */
  readonly findRefusal: (admitted: AdmittedRequest) => Promise<ApiError | undefined>;
  readonly onMoved: (reason: MoveReason) => void;
  readonly streams: StreamWrites;
};

export type MoveReason = 'unreachable' | 'lost' | 'lease-lapsed' | 'lease-given-up';

/** How long a poll searches for a node before it gets 503. */
const searchMaxMs = 3_000;

/** Pause before the search starts again after all nodes were tried. */
const searchPauseMs = 200;

/** Polls on a node that gave up its lease move spread over this time, unless the node answers them before. */
const givenUpSpreadMs = 2_000;

/** When this gateway stops, its polls are answered spread over this time. */
const drainSpreadMs = 1_000;

/** Headers of a node's answer that stop at the gateway. */
const endingAnswerHeaders: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

const asksNotToWait = /[?&]dont_block=true(?:&|$)/;

/** The status by which a stopping node refuses a poll that arrives after it announced the stop. */
const stoppingStatus = serviceUnavailable().status;

const noHeaders = {};
const noBody = Buffer.alloc(0);

/** The transports to a node: its link or, for polls, a separate HTTP exchange. */
export type PollTransports = { readonly links: ServiceLinks; readonly agent: Agent };

type Transport =
  | { readonly kind: 'link'; readonly link: GatewayLink; readonly number: number }
  | { readonly kind: 'exchange'; readonly exchange: HttpExchange };

export class HeldPoll implements LinkListener {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: AdmittedRequest;
  readonly queueId: string;
  readonly #hop: EventsHopOptions;
  readonly #transports: PollTransports;
  readonly #done: () => void;
  readonly #isForStream: boolean;
  /** For a poll that does not wait, an empty answer means that there are no events, so only a node may give it. */
  readonly #waits: boolean;
  #boundAtMs: number;
  /** Nodes tried since the last one that was reached. */
  #tried: readonly string[] = [];
  #searchUntilMs: number;
  #sentAtMs = 0;
  /** The transport to the node that has the poll; undefined while none has it. */
  #transport: Transport | undefined;
  #node: LiveNode | undefined;
  #moveTimer: NodeJS.Timeout | undefined;
  /** Set when this gateway stops. Its timer ends the poll whatever the nodes do. */
  #endTimer: NodeJS.Timeout | undefined;
  #stream: StreamAnswer | undefined;
  #isOver = false;

  constructor(
    exchange: {
      readonly request: IncomingMessage;
      readonly response: ServerResponse;
      readonly admitted: AdmittedRequest;
      readonly queueId: string;
    },
    hop: EventsHopOptions,
    transports: PollTransports,
    done: () => void,
  ) {
    this.request = exchange.request;
    this.response = exchange.response;
    this.admitted = exchange.admitted;
    this.queueId = exchange.queueId;
    this.#hop = hop;
    this.#transports = transports;
    this.#done = done;
    this.#isForStream = isEventStream(this.admitted.endpoint);
    this.#waits = this.#isForStream || !asksNotToWait.test(this.admitted.query);
    this.#searchUntilMs = performance.now() + searchMaxMs;
    this.#boundAtMs = performance.now() + hop.pollBoundMs;
    // The body of a GET has no meaning, but it must not block the connection.
    this.request.resume();
    this.response.on('close', () => this.#finish());
    this.response.on('error', () => this.#finish());
  }

  get nodeId(): string | undefined {
    return this.#node?.nodeId;
  }

  /** Headers of every answer, whether the node or the gateway answers. */
  get #fixedHeaders(): Readonly<Record<string, string>> {
    const { answerHeaders, rateLimitHeaders, requestId } = this.admitted;
    return { ...answerHeaders, [requestIdHeaderName]: requestId, ...rateLimitHeaders };
  }

  /** Set once a stream has begun. */
  get stream(): StreamAnswer | undefined {
    return this.#stream;
  }

  /** Sends the poll to the first node in the queue's order that was not tried yet. */
  begin(): void {
    if (this.#isOver) return;
    const candidates = this.#hop.upstreams.holdersOf(this.queueId);
    const node = candidates.find((candidate) => !this.#tried.includes(candidate.nodeId));
    if (node !== undefined) {
      this.#send(node);
      return;
    }
    if (performance.now() > this.#searchUntilMs) {
      this.refuse(serviceUnavailable());
      return;
    }
    this.#tried = [];
    this.#moveTimer = setTimeout(() => {
      this.#moveTimer = undefined;
      this.begin();
    }, searchPauseMs);
  }

  /** Leaves the node that holds the poll and moves to the queue's next holder. A stream ends instead, because its client reconnects. */
  move(reason: MoveReason): void {
    if (this.#stream !== undefined) {
      this.#hop.onMoved(reason);
      this.#endStream(reconnectText());
      return;
    }
    if (this.#isOver || this.#transport === undefined || this.response.headersSent) return;
    this.#leaveNode();
    this.#node = undefined;
    this.#hop.onMoved(reason);
    this.#restartSearch();
    this.begin();
  }

  /** Moves after a short time, unless the node answers first. A stream that begins meanwhile ends then. */
  moveSoon(reason: MoveReason): void {
    // Every change of leases reports this again.
    this.#moveTimer ??= setTimeout(() => this.move(reason), Math.random() * givenUpSpreadMs);
  }

  /** Whether it has reached its time limit. */
  isOverdue(nowMs: number): boolean {
    return nowMs >= this.#boundAtMs;
  }

  /** Sends an empty answer. The client polls again with the same `last_event_id`. */
  endEmpty(): void {
    if (!this.#waits) {
      this.refuse(serviceUnavailable());
      return;
    }
    this.#endStream(reconnectText());
    if (this.#isOver || this.response.headersSent) return;
    this.#leaveNode();
    if (this.#isForStream) {
      this.response.writeHead(200, { 'Content-Type': 'text/event-stream', ...this.#fixedHeaders });
      this.response.end(reconnectText());
      return;
    }
    writeJson(
      this.response,
      200,
      JSON.stringify({ result: 'success', msg: '', events: [], queue_id: this.queueId }),
      this.#fixedHeaders,
    );
  }

  /** Sends an empty answer after a short time, because this gateway stops. */
  endEmptySoon(): void {
    if (this.#isOver || (this.response.headersSent && this.#stream === undefined)) return;
    if (!this.response.headersSent) this.response.setHeader('Connection', 'close');
    // The node answers at once, before this gateway stops.
    if (!this.#waits) return;
    this.#endTimer ??= setTimeout(() => this.endEmpty(), Math.random() * drainSpreadMs);
  }

  refuse(error: ApiError): void {
    this.#endStream(refusalEventText(error));
    if (this.#isOver || this.response.headersSent) return;
    this.#leaveNode();
    writeRefusal(this.response, error, this.#fixedHeaders);
  }

  #send(node: LiveNode): void {
    this.#tried = [...this.#tried, node.nodeId];
    this.#node = node;
    this.#sentAtMs = performance.now();
    const { admitted } = this;
    const link = this.#transports.links.find(node);
    const { requestId, path, query, caller } = admitted;
    if (link === undefined || caller === null) {
      this.#sendByItself(node);
      return;
    }
    const headers = this.#isForStream ? resumingHeadersOf(this.request) : noHeaders;
    const { method = 'GET' } = this.request;
    const number = link.send(
      { requestId, method, address: path + query, caller, headers, body: noBody },
      this,
    );
    this.#transport = { kind: 'link', link, number };
  }

  #sendByItself(node: LiveNode): void {
    // Streams use only links.
    if (this.#isForStream) {
      this.#onFault(node, false);
      return;
    }
    const identity = this.#hop.signIdentity(this.admitted);
    const exchange = new HttpExchange(
      this.request,
      this.admitted,
      { agent: this.#transports.agent, node, identity },
      {
        onAnswer: (answer) => this.#onAnswer(answer),
        onFault: (error) => this.#onFault(node, !isConnectFault(error)),
      },
    );
    this.#transport = { kind: 'exchange', exchange };
  }

  onLinkFault(fault: LinkFault): void {
    const node = this.#node;
    this.#transport = undefined;
    if (this.#isOver || node === undefined) return;
    if (fault instanceof LinkRefused) this.#sendByItself(node);
    else this.#onFault(node, !(fault instanceof LinkUnreachable));
  }

  onLinkAnswer(answer: LinkAnswer): void {
    if (goesOn(answer.kind)) {
      this.#onStreamPart(answer);
      return;
    }
    const transport = this.#transport;
    this.#transport = undefined;
    this.#stopMoving();
    this.#stream?.end(textOf(bodyOf(answer)));
    if (this.#isOver || this.response.headersSent) return;
    // It was already sent when the node announced that it stops.
    if (
      transport?.kind === 'link' &&
      transport.link.isLeaving &&
      answer.status === stoppingStatus
    ) {
      this.#hop.onMoved('lease-given-up');
      this.begin();
      return;
    }
    const compressing = this.#hop.compression.begin(this.request, answer);
    if (compressing === undefined) {
      this.#writeAnswer(answer);
      return;
    }
    void compressing.then((compressed) => {
      // The poll may have ended meanwhile; the client then polls for the same events again.
      if (!this.#isOver && !this.response.headersSent) this.#writeAnswer(answer, compressed);
    });
  }

  #writeAnswer(
    answer: LinkAnswer,
    { body, headers }: CompressedAnswer = { body: bodyOf(answer), headers: {} },
  ): void {
    writeJson(this.response, answer.status, body, {
      ...answer.headers,
      ...headers,
      ...this.#fixedHeaders,
    });
  }

  #onStreamPart({ kind, headers, shared }: LinkAnswer): void {
    const transport = this.#transport;
    if (this.#isOver || transport?.kind !== 'link') return;
    if (this.#stream === undefined) {
      this.#boundAtMs = performance.now() + this.#hop.streamBoundMs;
      this.response.writeHead(200, { ...headers, ...this.#fixedHeaders });
      if (this.request.method === 'HEAD') {
        this.#leaveNode();
        this.response.end();
        return;
      }
      this.#stream = new StreamAnswer(this.response, this.#hop.streams);
    }
    const part = typeof shared === 'string' ? [Buffer.from(shared)] : shared;
    this.#stream.write(
      part,
      kind === 'step' ? () => transport.link.take(transport.number) : undefined,
    );
  }

  #endStream(lastWords: string): void {
    if (this.#stream === undefined) return;
    this.#leaveNode();
    this.#stream.end(lastWords);
  }

  #onFault(node: LiveNode, wasReached: boolean): void {
    this.#transport = undefined;
    if (this.#isOver) return;
    if (this.#stream !== undefined) {
      this.#endStream(reconnectText());
      return;
    }
    if (this.response.headersSent) {
      this.response.destroy();
      return;
    }
    this.#node = undefined;
    this.#stopMoving();
    if (!wasReached) this.#hop.upstreams.suspect(node.nodeId);
    // A poll that was held gets the whole time to search for the next node.
    if (performance.now() - this.#sentAtMs > searchMaxMs) {
      this.#restartSearch();
      this.#tried = [...this.#tried, node.nodeId];
    }
    this.#hop.onMoved(wasReached ? 'lost' : 'unreachable');
    this.begin();
  }

  #onAnswer(answer: IncomingMessage): void {
    if (this.#isOver) {
      answer.resume();
      return;
    }
    this.#stopMoving();
    const { response } = this;
    // An answer that breaks off must not look complete.
    answer.on('error', () => response.destroy());
    answer.on('close', () => {
      if (!answer.complete) response.destroy();
    });
    response.writeHead(answer.statusCode ?? 502, this.#answerHeaders(answer));
    answer.pipe(response);
  }

  #answerHeaders(answer: IncomingMessage): string[] {
    const headers: string[] = [];
    const leftOut = new Set(endingAnswerHeaders);
    for (const [name, value] of Object.entries(this.#fixedHeaders)) {
      leftOut.add(name.toLowerCase());
      headers.push(name, value);
    }
    for (let index = 0; index < answer.rawHeaders.length; index += 2) {
      const name = answer.rawHeaders[index] ?? '';
      if (!leftOut.has(name.toLowerCase())) headers.push(name, answer.rawHeaders[index + 1] ?? '');
    }
    headers.push('Connection', connectionOfAnswer(this.response));
    this.response.removeHeader('connection');
    return headers;
  }

  #leaveNode(): void {
    const transport = this.#transport;
    this.#transport = undefined;
    this.#stopMoving();
    if (transport?.kind === 'link') transport.link.leave(transport.number);
    else transport?.exchange.leave();
  }

  #restartSearch(): void {
    this.#tried = [];
    this.#searchUntilMs = performance.now() + searchMaxMs;
  }

  #stopMoving(): void {
    clearTimeout(this.#moveTimer);
    this.#moveTimer = undefined;
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#endTimer);
    // After a complete answer the connection to the node is kept for the next poll.
    if (this.response.writableFinished) this.#transport = undefined;
    this.#leaveNode();
    this.#done();
  }
}

/** The headers with which a client resumes a stream. */
function resumingHeadersOf({ headers }: IncomingMessage): LinkedHeaders {
  const lastEventId = headers['last-event-id'];
  return typeof lastEventId === 'string' ? { 'last-event-id': lastEventId } : noHeaders;
}
