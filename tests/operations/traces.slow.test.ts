import { signIdentity } from '@parley/auth/identity';
import { ApiClient, makeOrganization, startCluster, waitUntil } from '@parley/test-kit';
import type { Cluster, ServiceProcess, TestAccount, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { TraceCollector } from './trace-collector.ts';
import type { CollectedSpan } from './trace-collector.ts';

/** Prints to standard error when a process loads the SDK, which is built into one file with what uses it. */
const loadWatch = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    if (url.includes('/otlp-tracer-')) process.stderr.write(url + '\\n');
    return next(url, context);
  } });`)}`;

const content = 'What nobody else may read';
const outsideTrace = '0af7651916cd43dd8448eb211c80319c';
const outsideParent = 'b7ad6b7169203331';

let collector: TraceCollector;
let cluster: Cluster<ServiceProcess>;
let organization: TestOrganization;
/** A gateway that trusts this machine as a proxy. */
let behindProxy: ServiceProcess;
let member: TestAccount;

beforeAll(async () => {
  collector = await TraceCollector.start();
  cluster = await startCluster({
    subscriptions: 0,
    people: 0,
    presence: 0,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=parley',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      // Limits how long the exporter retries.
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
  [organization, behindProxy] = await Promise.all([
    makeOrganization(cluster),
    cluster.startAnother('gateway', {
      PARLEY_TRUSTED_PROXIES: '127.0.0.1',
      NODE_OPTIONS: loadWatch,
    }),
  ]);
  member = await organization.makeAccount('Max Member');
  await organization.makeStream('plaza', [member]);
});

afterAll(async () => {
  await organization?.close();
  await cluster?.stop();
  await collector?.close();
});

type SendOptions = {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** @returns the request's id */
async function send({ url, headers }: SendOptions = {}): Promise<string> {
  const basic = Buffer.from(`${member.email}:${member.apiKey}`).toString('base64');
  const answer = await fetch(`${url ?? cluster.url}/api/v1/messages?client=inTheQuery`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, ...headers },
    body: new URLSearchParams({ type: 'stream', to: 'plaza', topic: 'Confidential', content }),
  });
  expect(await answer.json()).toMatchObject({ result: 'success' });
  return answer.headers.get('x-request-id') ?? '';
}

async function completeTrace(requestId: string): Promise<CollectedSpan[]> {
  const isWhole = (): CollectedSpan[] | undefined => {
    const trace = collector.traceOf(requestId);
    const names = new Set(trace.map(({ name }) => name));
    const wanted = ['POST /api/v1/messages', 'POST /messages', 'publish hint'];
    return wanted.every((name) => names.has(name)) ? trace : undefined;
  };
  return waitUntil('the trace is whole', isWhole, {
    describe: () => JSON.stringify(collector.traceOf(requestId)),
  });
}

function getSpan(trace: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = trace.filter((span) => span.name === name);
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`${found.length} spans are ${name}: ${JSON.stringify(trace)}`);
  return found[0];
}

/** The log line of a process about a finished request. */
async function lineOf({ output }: ServiceProcess, requestId: string): Promise<unknown> {
  const line = await waitUntil('the request is logged', () =>
    output.find((candidate) => candidate.includes(requestId)),
  );
  return JSON.parse(line);
}

describe('traces', () => {
  test('a send is one trace through gateway, service, statement and hint, and its log lines name it', async () => {
    const requestId = await send();
    const trace = await completeTrace(requestId);
    const root = getSpan(trace, 'POST /api/v1/messages');
    const forwarded = getSpan(trace, 'forward to messages');
    const served = getSpan(trace, 'POST /messages');
    const batch = getSpan(trace, 'send batch');
    expect(root).toMatchObject({ service: 'parley-gateway', parentId: undefined });
    expect(forwarded).toMatchObject({ service: 'parley-gateway', parentId: root.id });
    expect(served).toMatchObject({ service: 'parley-messages', parentId: forwarded.id });
    expect(batch).toMatchObject({ service: 'parley-messages', parentId: served.id });
    for (const name of ['send-messages', 'publish hint'])
      expect(getSpan(trace, name)).toMatchObject({ parentId: batch.id });
    for (const span of [root, served]) {
      expect(span.attributes).toMatchObject({
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'parley.request_id': requestId,
      });
      expect(span.resource).toMatchObject({ 'deployment.environment.name': 'test' });
    }
    const line = await lineOf(cluster.getProcess('gateway', 0), requestId);
    expect(line).toMatchObject({
      msg: 'request',
      trace_id: root.traceId,
      user_id: member.user.id,
    });
  });

  test("the append to the log is a span of its transaction's changes", async () => {
    const id = await member.client.sendToStream('plaza', 'swimming', 'first');
    await member.client.call('PATCH', `messages/${id}`, { content: 'second' });
    await waitUntil('the append is there', () => {
      const append = collector.spans.find(({ name }) => name === 'log append');
      const parent = collector.spans.find((span) => span.id === append?.parentId);
      return parent?.name === 'PATCH /messages/{message_id}';
    });
  });

  test('requests that share a batch have their own traces', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => send()));
    const traceIds = await waitUntil('all are there', () => {
      const served = ids.map((id) =>
        collector.traceOf(id).find(({ name }) => name === 'POST /messages'),
      );
      return served.every((span) => span !== undefined) && served.map(({ traceId }) => traceId);
    });
    expect(new Set(traceIds).size).toBe(ids.length);
  });

  test('only a trusted proxy may set a trace', async () => {
    const traceparent = `00-${outsideTrace}-${outsideParent}-01`;
    const fromClient = await completeTrace(await send({ headers: { traceparent } }));
    expect(fromClient[0]?.traceId).not.toBe(outsideTrace);

    const fromProxy = await completeTrace(
      await send({ url: behindProxy.url, headers: { traceparent } }),
    );
    expect(getSpan(fromProxy, 'POST /api/v1/messages')).toMatchObject({
      traceId: outsideTrace,
      parentId: outsideParent,
    });
    const unrecorded = await send({
      url: behindProxy.url,
      headers: { traceparent: traceparent.replace(/01$/, '00') },
    });
    const later = await send({ url: behindProxy.url });
    await completeTrace(later);
    expect(collector.traceOf(unrecorded)).toEqual([]);
    expect(await lineOf(behindProxy, unrecorded)).not.toHaveProperty('trace_id');
  });

  test('a service accepts a trace only from gateways', async () => {
    const traceId = '1'.repeat(32);
    const { url } = cluster.getProcess('messages', 0);
    const upload = async (identity: string): Promise<number> => {
      const { status } = await fetch(`${url}/api/v1/user_uploads`, {
        method: 'POST',
        headers: {
          'x-parley-identity': identity,
          'x-parley-endpoint': 'upload-file',
          traceparent: `00-${traceId}-${outsideParent}-01`,
        },
      });
      return status;
    };
    const caller = { userId: member.id, email: member.email, role: 'member' } as const;
    const sign = (secret: string, requestId: string): string =>
      signIdentity(
        secret,
        { ...caller, botType: null, botOwnerId: null },
        { requestId, nowMs: Date.now() },
      );
    expect(await upload(sign('another secret that nobody believes', 'forged'))).toBe(404);
    expect(await upload(sign(cluster.settings.internalSecret, 'signed'))).toBe(400);
    const ofTrace = await waitUntil('its span is there', () => {
      const spans = collector.spans.filter((span) => span.traceId === traceId);
      return spans.length > 0 ? spans : undefined;
    });
    expect(ofTrace).toMatchObject([
      { parentId: outsideParent, attributes: { 'parley.request_id': 'signed' } },
    ]);
  });

  test('polls have no span', async () => {
    const { email, apiKey } = member;
    const client = new ApiClient({ urls: [cluster.url], email, apiKey });
    const { queue_id: queueId } = await client.post('register');
    await client.get('events', { queue_id: String(queueId), last_event_id: -1, dont_block: true });
    await client.post('register');
    const namesOf = (service: string): string[] =>
      collector.spans.filter((span) => span.service === service).map(({ name }) => name);
    for (const [service, path] of [
      ['parley-gateway', '/api/v1'],
      ['parley-events', ''],
    ] as const) {
      // The second one is sent after the poll's would have been.
      await waitUntil('both registrations are there', () => {
        const registrations = namesOf(service).filter((name) => name === `POST ${path}/register`);
        return registrations.length === 2;
      });
      expect(namesOf(service)).not.toContain(`GET ${path}/events`);
    }
  });

  test('without the variables nothing is loaded and nothing is sent', async () => {
    expect(behindProxy.output.join('\n')).toContain('/otlp-tracer-');
    const untraced = await cluster.startAnother('gateway', {
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      NODE_OPTIONS: loadWatch,
    });
    const requestId = await send({ url: untraced.url });
    expect(await lineOf(untraced, requestId)).not.toHaveProperty('trace_id');
    expect(untraced.output.join('\n')).not.toContain('/otlp-tracer-');
    // It exports its remaining spans when it ends.
    await untraced.kill('SIGTERM');
    const services = collector.traceOf(requestId).map(({ service }) => service);
    expect(services).not.toContain('parley-gateway');
  });

  test('remaining spans are sent at the end, without secrets or content', async () => {
    const requestId = await send({ url: behindProxy.url });
    expect(await behindProxy.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(collector.traceOf(requestId).map(({ name }) => name)).toContain('forward to messages');
    const sent = collector.texts.join('\n');
    const { keySecret, internalSecret, databaseUrl, redisUrl } = cluster.settings;
    for (const secret of [
      member.apiKey,
      member.email,
      Buffer.from(`${member.email}:${member.apiKey}`).toString('base64'),
      keySecret,
      internalSecret,
      databaseUrl,
      redisUrl,
      content,
      'Confidential',
      'inTheQuery',
      'INSERT',
    ])
      expect(sent).not.toContain(secret);
  });

  test('an unavailable collector costs only spans', async () => {
    await collector.close();
    await send();
    const gateway = cluster.getProcess('gateway', 0);
    await waitUntil('the loss is logged', () =>
      gateway.output.some((line) => line.includes('the collector of traces did not take spans')),
    );
    await send();
    expect(await gateway.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
