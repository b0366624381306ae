/** A proxy between a client and a gateway that records the client's requests as they are on the wire. */
import { Agent, createServer, request as startRequest } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type RecordedRequest = {
  readonly method: string;
  /** Path and query, unchanged. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export class RecordingProxy {
  readonly requests: RecordedRequest[] = [];
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(to: string) {
    const { hostname, port } = new URL(to);
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const { method = '', url = '', headers } = request;
        this.requests.push({ method, target: url, headers, body: body.toString('utf8') });
        const onward = startRequest(
          { hostname, port, agent: this.#agent, method, path: url, headers },
          (answer) => {
            response.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(response);
          },
        );
        onward.on('error', () => response.destroy());
        response.on('close', () => onward.destroy());
        onward.end(body);
      });
    });
  }

  static async start(to: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(to);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#agent.destroy();
  }
}

/** @returns the parts of a multipart body by name, as text; the head of each has only a name */
export function partsOf({ headers, body }: RecordedRequest): Record<string, string> {
  const [, boundary = ''] =
    /^multipart\/form-data;\s?boundary=(.+)$/.exec(headers['content-type'] ?? '') ?? [];
  if (boundary === '') throw new Error(`no multipart form but ${headers['content-type']}`);
  const pieces = body.split(`--${boundary}`);
  if (!/^--\s*$/.test(pieces.at(-1) ?? '')) throw new Error('the form has no end');
  return Object.fromEntries(
    pieces.slice(1, -1).map((piece) => {
      const found =
        /^\r\nContent-Disposition: form-data; name="([^"]*)"\r\n\r\n([\s\S]*)\r\n$/.exec(piece);
      if (found === null) throw new Error(`not a part of a name and a text: ${piece}`);
      return [found[1] ?? '', found[2] ?? ''];
    }),
  );
}
