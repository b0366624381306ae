/** A client that reads a stream of events slowly, by the time of the machine. */
import { systemClock } from '@parley/clock';
import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { openStream } from './support/event-stream.ts';
import { GatewayUnderTest } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  // Less than the client needs for all of it, and more than this process is ever kept from reading.
  gateway = await GatewayUnderTest.start({ PARLEY_EVENT_STREAM_STALL_SECS: '3' }, systemClock);
});

afterAll(() => gateway.stop());

it('a stream delivers a long event to a slow client that does read', async () => {
  const long = `data: ${'x'.repeat(24 * 1_048_576)}\n\n`;
  await gateway.addUpstream('events', (_request, tell) => {
    const headers = { 'Content-Type': 'text/event-stream' };
    tell({ status: 200, kind: 'step', headers, shared: long, own: '' });
    return undefined;
  });
  const stream = await openStream(gateway, await gateway.addUser(), {
    query: 'queue_id=17:5&last_event_id=4',
  });
  stream.answer.on('data', () => {
    stream.answer.pause();
    systemClock.after(20, () => stream.answer.resume());
  });
  await waitUntil(
    'all of it came, or the end',
    () => stream.text().length >= long.length || stream.end(),
  );
  expect(stream.end()).toBeUndefined();
  expect(stream.text() === long).toBe(true);
  stream.close();
});
