/** A collector of traces: accepts what the services send as OTLP over HTTP in JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Attributes = readonly {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}[];

type SentSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes?: Attributes;
};

type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
};

export type CollectedSpan = {
  readonly service: string;
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly resource: Readonly<Record<string, string | number | undefined>>;
};

function read(attributes: Attributes = []): CollectedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}

export class TraceCollector {
  readonly url: string;
  /** All received requests, unchanged. */
  readonly texts: string[];
  readonly #close: () => Promise<void>;

  private constructor(url: string, texts: string[], close: () => Promise<void>) {
    this.url = url;
    this.texts = texts;
    this.#close = close;
  }

  static async start(): Promise<TraceCollector> {
    const texts: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isRight = request.url === '/v1/traces' && request.headers['x-tenant'] === 'parley';
        if (isRight) texts.push(Buffer.concat(chunks).toString());
        response.writeHead(isRight ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    return new TraceCollector(`http://127.0.0.1:${port}`, texts, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
  }

  get spans(): CollectedSpan[] {
    return this.texts.flatMap((text) =>
      (JSON.parse(text) as Sent).resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            service: String(read(resource.attributes)['service.name']),
            traceId: span.traceId,
            id: span.spanId,
            parentId: span.parentSpanId === '' ? undefined : span.parentSpanId,
            name: span.name,
            attributes: read(span.attributes),
            resource: read(resource.attributes),
          })),
        ),
      ),
    );
  }

  /** The spans of the trace of a request. */
  traceOf(requestId: string): CollectedSpan[] {
    const all = this.spans;
    const own = all.find(({ attributes }) => attributes['parley.request_id'] === requestId);
    return all.filter(({ traceId }) => traceId === own?.traceId);
  }

  async close(): Promise<void> {
    await this.#close();
  }
}
