/** Streamed answers. */
import { declareEndpoint } from '@parley/api';
import { RequestSignal } from '../src/links/index.ts';
import type { LinkAnswer } from '../src/links/index.ts';
import { createLogger } from '@parley/telemetry/logging';
import { expect, it } from 'vitest';

import { StreamedAnswer, implement } from '../src/implement.ts';
import type { StreamWriter } from '../src/implement.ts';
import { createMetrics } from '../src/metrics.ts';
import { sampleClock } from './sample-app.ts';
import { createLinkApp, requestOf } from './sample-apps.ts';

let writer: StreamWriter;

const streamEvents = implement(
  declareEndpoint({
    name: 'stream-events',
    tag: 'Server',
    method: 'GET',
    path: '/stream',
    service: 'events',
    summary: 'Never ends',
    description: 'Never ends by itself.',
    access: { authentication: 'none' },
    parameters: [],
    success: [{ contentType: 'text/event-stream', description: 'Events', event: {} }],
    errors: [],
  }),
  () =>
    new StreamedAnswer({ 'Content-Type': 'text/event-stream' }, (given) => {
      writer = given;
      given.write('first', false, () => undefined);
    }),
);

const metrics = createMetrics();
const options = {
  implementations: [streamEvents],
  context: {},
  clock: sampleClock,
  log: createLogger({ service: 'sample', nodeId: 'direct', level: 'silent' }),
  metrics,
  checkAnswers: true,
  answerHeaders: { 'x-parley-node': 'n' },
};

async function open(
  backlogBytes = 0,
): Promise<{ readonly parts: LinkAnswer[]; readonly signal: RequestSignal }> {
  const parts: LinkAnswer[] = [];
  const signal = new RequestSignal();
  createLinkApp(options)(
    requestOf({ endpoint: 'stream-events', signal, link: { backlogBytes } }),
    (part) => parts.push(part),
  );
  await expect.poll(() => parts.length).toBe(1);
  return { parts, signal };
}

const status = 200;
const headers = { 'x-parley-node': 'n', 'Content-Type': 'text/event-stream' };

it('parts follow one another, and the first has the headers', async () => {
  const { parts } = await open();
  expect(writer.write('second', false, () => undefined)).toBe(true);
  writer.end('last');
  expect(parts).toEqual([
    { status, kind: 'open', headers, shared: 'first', own: '' },
    { status, kind: 'open', headers: {}, shared: 'second', own: '' },
    { status, kind: 'raw', headers: {}, shared: 'last', own: '' },
  ]);
});

it.each([
  ['after a full part', 0, true],
  ['while much waits for the gateway', 1e8, false],
])(
  'the next part waits until the client has taken the previous one, %s',
  async (_case, backlog, isFull) => {
    const { parts, signal } = await open(backlog);
    let isTaken = false;
    const goesOn = writer.write('second', isFull, () => {
      isTaken = true;
    });
    expect([goesOn, parts.at(-1)?.kind, isTaken]).toEqual([false, 'step', false]);
    signal.tellTaken();
    expect(isTaken).toBe(true);
  },
);

it('a stream counts as a request in flight until its end', async () => {
  const count = async (): Promise<number> =>
    (await metrics.requestsInFlight.get()).values[0]?.value ?? 0;
  const before = await count();
  await open();
  expect(await count()).toBe(before + 1);
  writer.end('');
  expect(await count()).toBe(before);
});
