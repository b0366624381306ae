/** A service of outgoing-webhook bots, on loopback: it records the calls and answers as a test requires. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedCall = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Respond = (
  call: ReceivedCall,
  response: ServerResponse,
  request: IncomingMessage,
) => void;

/** Answers with JSON. */
export function json(body: unknown, status = 200): Respond {
  return (_call, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

/** Answers with text. */
export function plain(body: string, status = 200): Respond {
  return (_call, response) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(body);
  };
}

/** Redirects to another address. */
export function redirect(location: string, status: number): Respond {
  return (_call, response) => {
    response.writeHead(status, { location });
    response.end();
  };
}

export const silent = json({ response_not_required: true });

export class WebhookReceiver {
  readonly calls: ReceivedCall[] = [];
  readonly #server: Server;
  readonly #routes = new Map<string, Respond>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const call: ReceivedCall = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        };
        this.calls.push(call);
        const respond = this.#routes.get(call.path) ?? silent;
        respond(call, response, request);
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Sets how a path answers from now on; other paths answer that no reply is wanted. */
  on(path: string, respond: Respond): string {
    this.#routes.set(path, respond);
    return this.url(path);
  }

  at(path: string): readonly ReceivedCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
