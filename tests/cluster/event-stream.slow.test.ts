/** A queue as Server-Sent Events in clients of others, whatever happens to the processes in between. */
import { execFile } from 'node:child_process';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

import { processOf, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { EventSource } from 'eventsource';
import { expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { useFixture } from '../support/use-fixture.ts';
import { EventStreamReader } from './event-stream-reader.ts';

const organization = useFixture(() =>
  startSmallOrganization({
    ownProcesses: true,
    gateways: 2,
    events: 2,
    messages: 1,
    environment: {
      PARLEY_HEARTBEAT_MIN_SECS: '0.5',
      PARLEY_HEARTBEAT_MAX_SECS: '1',
    },
  }),
);

type Queue = { readonly queueId: string; readonly lastEventId: number };

async function register(): Promise<Queue> {
  const answer = await organization
    .client('ann')
    .post('register', { event_types: ['message'], fetch_event_types: [] });
  return { queueId: answer['queue_id'] as string, lastEventId: answer['last_event_id'] as number };
}

async function send(content: string): Promise<number> {
  const answer = await organization.client('bob').post('messages', {
    type: 'private',
    to: ['ann@example.com'],
    content,
  });
  return answer['id'] as number;
}

function contentsOf(events: readonly JsonObject[]): unknown[] {
  return events.map(({ message }) => (message as JsonObject)['content']);
}

/** The process that sent the answer. */
function nodeOf(reader: EventStreamReader): number {
  const nodeId = reader.headers['x-parley-node'];
  return organization.cluster
    .findProcesses('events')
    .findIndex((running) => running.nodeId === nodeId);
}

test('curl -N shows events as they come', async () => {
  const queue = await register();
  const { url } = organization.cluster;
  const { email, apiKey } = organization.client('ann');
  const running = promisify(execFile)('curl', [
    '-sN',
    '-u',
    `${email}:${apiKey}`,
    `${url}/api/v1/events/stream?queue_id=${queue.queueId}&last_event_id=${queue.lastEventId}`,
  ]);
  let shown = '';
  running.child.stdout?.on('data', (text: string) => {
    shown += text;
  });
  await waitUntil('curl shows the first line', () => shown.includes('retry: '));
  await send('for curl');
  await waitUntil('curl shows the event', () => shown.includes('"content":"for curl"'));
  await organization.client('ann').delete('events', { queue_id: queue.queueId });
  await running;
  expect(shown).toContain('event: error\ndata: {"result":"error"');
});

/** Like a site's own proxy: it adds the person's credentials, and uses any gateway. */
async function startProxy(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { email, apiKey } = organization.client('ann');
  const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
  let turn = 0;
  const server = createServer((request, response) => {
    const urls = organization.cluster.gatewayUrls;
    const url = new URL(request.url ?? '/', urls[turn++ % urls.length]);
    const upstream = sendRequest(
      url,
      { headers: { ...request.headers, host: url.host, authorization } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('an EventSource behind a proxy misses nothing when nodes and gateways are killed and drained', async () => {
  const { cluster } = organization;
  const proxy = await startProxy();
  const queue = await register();
  const source = new EventSource(
    `${proxy.url}/api/v1/events/stream?queue_id=${queue.queueId}&last_event_id=${queue.lastEventId}`,
  );
  const got: JsonObject[] = [];
  let timesOpened = 0;
  source.addEventListener('open', () => {
    timesOpened += 1;
  });
  source.addEventListener('message', ({ data, lastEventId }) => {
    const event = JSON.parse(String(data)) as JsonObject;
    expect(Number(lastEventId)).toBe(event['id']);
    got.push(event);
  });
  const messages = (): JsonObject[] => got.filter(({ type }) => type === 'message');
  const sent: string[] = [];
  const sendSome = async (): Promise<void> => {
    for (let count = 0; count < 5; count += 1) {
      sent.push(`message ${sent.length}`);
      await send(sent.at(-1) ?? '');
    }
  };
  const catchUp = (): Promise<boolean> =>
    waitUntil(
      'all messages came',
      () => messages().length >= sent.length && source.readyState === source.OPEN,
      { describe: () => `${messages().length} of ${sent.length}` },
    );
  try {
    await waitUntil('it is open', () => timesOpened === 1);
    await sendSome();
    await catchUp();
    for (const [service, signal] of [
      ['events', 'SIGKILL'],
      ['events', 'SIGTERM'],
      ['gateway', 'SIGTERM'],
      ['gateway', 'SIGKILL'],
    ] as const) {
      // Whichever process serves the stream now, there is a second one to take over.
      const metric =
        service === 'events' ? 'parley_event_streams_open' : 'parley_gateway_open_streams';
      const index = await waitUntil('one process has the stream', async () => {
        const counts = await Promise.all(
          cluster.findProcesses(service).map((running) => running.readMetric(metric)),
        );
        return counts.includes(1) && [counts.indexOf(1)];
      });
      const ending = cluster.kill(service, index[0] ?? 0, signal);
      // A killed gateway would lose requests that are being sent.
      if (service === 'events') await sendSome();
      await ending;
      await sendSome();
      await cluster.startAnother(service);
      await catchUp();
    }
  } finally {
    source.close();
    await proxy.stop();
  }
  expect(contentsOf(messages())).toEqual(sent);
  const ids = got.map(({ id }) => id as number);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  expect(timesOpened).toBeGreaterThanOrEqual(5);
});

test('a node that is paused loses its lease, and its streams end', async () => {
  const queue = await register();
  const reader = await EventStreamReader.open(organization.client('ann'), queue);
  const paused = processOf(organization.cluster.getProcess('events', nodeOf(reader)));
  paused.signal('SIGSTOP');
  try {
    expect(await reader.waitForEnd()).toEqual({ isComplete: true });
    await send('elsewhere');
    const { lastEventId } = queue;
    const next = await EventStreamReader.open(organization.client('ann'), {
      ...queue,
      lastEventId: reader.lastId ?? lastEventId,
    });
    expect(next.headers['x-parley-node']).not.toBe(reader.headers['x-parley-node']);
    expect(contentsOf(await next.waitForNews(1))).toEqual(['elsewhere']);
    next.close();
  } finally {
    paused.signal('SIGCONT');
  }
});
