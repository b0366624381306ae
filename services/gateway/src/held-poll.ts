/** One held poll or stream: the node that it waits on, and how it moves to another. `events-hop.ts` lists its guarantees. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ApiError, FormValues } from '@parley/api';
import { isEventStream, requestIdHeaderName, serviceUnavailable } from '@parley/api';
import { reconnectText, refusalEventText } from '@parley/api/events';
import type { Clock, Timer } from '@parley/clock';
import { writeJson, writeRefusal } from '@parley/server';
import { LinkUnreachable, isContinued, textOf } from '@parley/server/links';
import type {
  Link,
  LinkAnswer,
  LinkFault,
  LinkListener,
  LinkedHeaders,
} from '@parley/server/links';
import type { LiveNode } from '@parley/cluster/placement';

import type { AdmittedRequest } from './admit.ts';
import type { AnswerCompression, CompressedAnswer } from './answer-compression.ts';
import { bodyOf } from './attempt.ts';
import type { ServiceLinks } from './service-links.ts';
import { StreamAnswer } from './stream-answer.ts';
import type { StreamWrites } from './stream-answer.ts';
import type { Upstreams } from './upstreams.ts';

export type EventsHopOptions = {
  readonly clock: Clock;
  readonly upstreams: Upstreams;
  readonly links: ServiceLinks;
  readonly compression: AnswerCompression;
  /** The longest time that a client waits for an answer, above the time that event nodes hold a poll. */
  readonly pollBoundMs: number;
  /** The longest lifetime of a stream. */
  readonly streamBoundMs: number;
  /** Checks a poll's credentials against the store. Returns the refusal that they get now, or undefined. Throws while the store is down. */
  readonly findRefusal: (admitted: AdmittedRequest) => Promise<ApiError | undefined>;
  readonly onMoved: (reason: MoveReason) => void;
  readonly streams: StreamWrites;
};

export type MoveReason = 'unreachable' | 'lost' | 'lease-lapsed' | 'lease-given-up';

/** How long a poll searches for a node before it gets 503. */
const searchMaxMs = 3_000;

/** Pause before the search starts again after all nodes were tried. */
const searchPauseMs = 100;

/** Polls on a node that gave up its lease move spread over this time, unless the node answers them before. */
const givenUpSpreadMs = 2_000;

/** When this gateway stops, its polls are answered spread over this time. */
const drainSpreadMs = 1_000;

/** The status by which a stopping node refuses a poll that arrives after it announced the stop. */
const stoppingStatus = serviceUnavailable().status;

const noHeaders = {};
const noBody = Buffer.alloc(0);

/** What a poll asks for, in its query or form. */
export type AskedPoll = { readonly queueId: string; readonly fields: FormValues };

/** A poll on a link, with its number there. */
type Sent = { readonly link: Link; readonly number: number };

export class HeldPoll implements LinkListener {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: AdmittedRequest;
  readonly #asked: AskedPoll;
  readonly #hop: EventsHopOptions;
  readonly #done: () => void;
  readonly #isForStream: boolean;
  /** For a poll that does not wait, an empty answer means that there are no events, so only a node may give it. */
  readonly #waits: boolean;
  #boundAtMs: number;
  /** Nodes tried since the last one that was reached. */
  #tried: readonly string[] = [];
  #searchUntilMs: number;
  #sentAtMs = 0;
  /** The poll on the link to its node; undefined while none has it. */
  #sent: Sent | undefined;
  #node: LiveNode | undefined;
  #moveTimer: Timer | undefined;
  /** Set when this gateway stops. Its timer ends the poll whatever the nodes do. */
  #endTimer: Timer | undefined;
  #stream: StreamAnswer | undefined;
  #isOver = false;

  constructor(
    exchange: {
      readonly request: IncomingMessage;
      readonly response: ServerResponse;
      readonly admitted: AdmittedRequest;
      readonly asked: AskedPoll;
    },
    hop: EventsHopOptions,
    done: () => void,
  ) {
    this.request = exchange.request;
    this.response = exchange.response;
    this.admitted = exchange.admitted;
    this.#asked = exchange.asked;
    this.#hop = hop;
    this.#done = done;
    this.#isForStream = isEventStream(this.admitted.endpoint);
    this.#waits = this.#isForStream || this.#asked.fields.get('dont_block') !== 'true';
    const nowMs = hop.clock.elapsedMs();
    this.#searchUntilMs = nowMs + searchMaxMs;
    this.#boundAtMs = nowMs + hop.pollBoundMs;
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
    const candidates = this.#hop.upstreams.holdersOf(this.#asked.queueId);
    const node = candidates.find((candidate) => !this.#tried.includes(candidate.nodeId));
    if (node !== undefined) {
      this.#send(node);
      return;
    }
    const { clock } = this.#hop;
    if (clock.elapsedMs() >= this.#searchUntilMs) {
      this.refuse(serviceUnavailable());
      return;
    }
    this.#tried = [];
    this.#moveTimer = clock.shortly(searchPauseMs, () => {
      this.#moveTimer = undefined;
      this.begin();
    });
  }

  /** Leaves the node that holds the poll and moves to the queue's next holder. A stream ends instead, because its client reconnects. */
  move(reason: MoveReason): void {
    if (this.#stream !== undefined) {
      this.#hop.onMoved(reason);
      this.#endStream(reconnectText());
      return;
    }
    if (this.#isOver || this.#sent === undefined || this.response.headersSent) return;
    this.#leaveNode();
    this.#node = undefined;
    this.#hop.onMoved(reason);
    this.#restartSearch();
    this.begin();
  }

  /** Moves after a short time, unless the node answers first. A stream that begins meanwhile ends then. */
  moveSoon(reason: MoveReason): void {
    // Every change of leases reports this again.
    this.#moveTimer ??= this.#hop.clock.after(Math.random() * givenUpSpreadMs, () =>
      this.move(reason),
    );
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
      JSON.stringify({ result: 'success', msg: '', events: [], queue_id: this.#asked.queueId }),
      this.#fixedHeaders,
    );
  }

  /** Sends an empty answer after a short time, because this gateway stops. */
  endEmptySoon(): void {
    if (this.#isOver || (this.response.headersSent && this.#stream === undefined)) return;
    if (!this.response.headersSent) this.response.setHeader('Connection', 'close');
    // The node answers at once, before this gateway stops.
    if (!this.#waits) return;
    this.#endTimer ??= this.#hop.clock.after(Math.random() * drainSpreadMs, () => this.endEmpty());
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
    this.#sentAtMs = this.#hop.clock.elapsedMs();
    const { admitted } = this;
    const link = this.#hop.links.find(node);
    if (link === undefined) {
      this.#onFault(node, false);
      return;
    }
    const { endpoint, requestId, pathTexts, caller } = admitted;
    const number = link.send(
      {
        requestId,
        endpoint: endpoint.name,
        wants: this.request.method === 'HEAD' ? 'headers' : 'whole',
        path: pathTexts,
        query: [...this.#asked.fields],
        caller,
        headers: this.#isForStream ? resumingHeadersOf(this.request) : noHeaders,
        body: noBody,
      },
      this,
    );
    this.#sent = { link, number };
  }

  onLinkFault(fault: LinkFault): void {
    const node = this.#node;
    this.#sent = undefined;
    if (this.#isOver || node === undefined) return;
    this.#onFault(node, !(fault instanceof LinkUnreachable));
  }

  onLinkAnswer(answer: LinkAnswer): void {
    if (isContinued(answer.kind)) {
      this.#onStreamPart(answer);
      return;
    }
    const sent = this.#sent;
    this.#sent = undefined;
    this.#stopMoving();
    this.#stream?.end(textOf(bodyOf(answer)));
    if (this.#isOver || this.response.headersSent) return;
    // It was already sent when the node announced that it stops.
    if (sent?.link.isLeaving === true && answer.status === stoppingStatus) {
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
    const sent = this.#sent;
    if (this.#isOver || sent === undefined) return;
    if (this.#stream === undefined) {
      this.#boundAtMs = this.#hop.clock.elapsedMs() + this.#hop.streamBoundMs;
      this.response.writeHead(200, { ...headers, ...this.#fixedHeaders });
      if (this.request.method === 'HEAD') {
        this.#leaveNode();
        this.response.end();
        return;
      }
      this.#stream = new StreamAnswer(this.response, this.#hop.streams);
    }
    const part = typeof shared === 'string' ? [Buffer.from(shared)] : shared;
    this.#stream.write(part, kind === 'step' ? () => sent.link.take(sent.number) : undefined);
  }

  #endStream(lastWords: string): void {
    if (this.#stream === undefined) return;
    this.#leaveNode();
    this.#stream.end(lastWords);
  }

  #onFault(node: LiveNode, wasReached: boolean): void {
    this.#sent = undefined;
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
    if (this.#hop.clock.elapsedMs() - this.#sentAtMs >= searchMaxMs) {
      this.#restartSearch();
      this.#tried = [...this.#tried, node.nodeId];
    }
    this.#hop.onMoved(wasReached ? 'lost' : 'unreachable');
    this.begin();
  }

  #leaveNode(): void {
    const sent = this.#sent;
    this.#sent = undefined;
    this.#stopMoving();
    sent?.link.leave(sent.number);
  }

  #restartSearch(): void {
    this.#tried = [];
    this.#searchUntilMs = this.#hop.clock.elapsedMs() + searchMaxMs;
  }

  #stopMoving(): void {
    this.#moveTimer?.cancel();
    this.#moveTimer = undefined;
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#endTimer?.cancel();
    this.#leaveNode();
    this.#done();
  }
}

/** The headers with which a client resumes a stream. */
function resumingHeadersOf({ headers }: IncomingMessage): LinkedHeaders {
  const lastEventId = headers['last-event-id'];
  return typeof lastEventId === 'string' ? { 'last-event-id': lastEventId } : noHeaders;
}
