/** A server with scripted answers, such as a real system gives only if something between it and its clients fails. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Reply = (response: ServerResponse) => void;

export const success = { result: 'success', msg: '' };

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** A proxy's own answer. */
export function page(status: number): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html' });
    response.end('<h1>Bad Gateway</h1>');
  };
}

export const cut: Reply = (response) => response.destroy();

/** Holds the request without end. */
export const hold: Reply = () => undefined;

export const limited = json(
  429,
  { result: 'error', msg: 'API usage exceeded rate limit', 'retry-after': 0.001 },
  { 'Retry-After': '0.001' },
);

export const unavailable = json(
  503,
  { result: 'error', msg: 'Service temporarily unavailable', code: 'SERVICE_UNAVAILABLE' },
  { 'Retry-After': '0' },
);

export function registered(queueId: string, lastEventId = 10): Reply {
  return json(200, { ...success, queue_id: queueId, last_event_id: lastEventId });
}

export const queueGoneBody = {
  result: 'error',
  msg: 'Bad event queue id: q',
  queue_id: 'q',
  code: 'BAD_EVENT_QUEUE_ID',
};
export const queueGone = json(400, queueGoneBody);

export class ScriptedServer {
  /** The answers to the next requests; the last one repeats. */
  replies: Reply[] = [];
  seen: IncomingMessage[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.seen.push(request);
      const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
      request.resume();
      request.on('end', () => reply?.(response));
    });
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => {
      scripted.#server.listen(0, '127.0.0.1', resolve);
    });
    return scripted;
  }

  get site(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Clears the recorded requests and sets the next answers. */
  script(...replies: Reply[]): void {
    this.replies = replies;
    this.seen = [];
  }

  /** Ends a stream of events, whose queue is deleted. */
  async endNow(stream: { return: () => Promise<unknown> }): Promise<void> {
    this.replies = [json(200, success)];
    await stream.return();
  }

  async hasSeen(count: number): Promise<void> {
    while (this.seen.length < count) await new Promise((resolve) => setImmediate(resolve));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
