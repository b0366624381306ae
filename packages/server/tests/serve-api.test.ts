/** The end of a service, seen by a gateway that has a link to it. */
import { MovedClock } from '@parley/clock';
import { readServiceConfig } from '@parley/config';
import { signIdentity } from '@parley/auth/identity';
import { GatewayLink, linkRequestId } from '../src/links/index.ts';
import type { LinkFault } from '../src/links/index.ts';
import { createLogger } from '@parley/telemetry/logging';
import { expect, it } from 'vitest';

import { serveApi } from '../src/serve-api.ts';
import { startService } from '../src/service-frame.ts';
import { sampleEndpoints } from './sample-app.ts';
import { member } from './sample-apps.ts';

const secret = 'i'.repeat(32);
const config = readServiceConfig(
  {
    DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: '0',
    PARLEY_INTERNAL_PORT: '0',
    PARLEY_INTERNAL_SECRET: secret,
    PARLEY_KEY_SECRET: 'k'.repeat(32),
  },
  'messages',
);

it('a service that stops waits a limited time for requests on links', async () => {
  const clock = new MovedClock();
  const hangUps: string[] = [];
  const service = await startService(
    config,
    (frame) => serveApi(frame, { implementations: sampleEndpoints, context: { hangUps } }).handler,
    { clock, log: createLogger({ service: 'messages', nodeId: config.nodeId, level: 'fatal' }) },
  );
  const { promise: left, resolve: onLeaving } = Promise.withResolvers<void>();
  const { promise: lost, resolve } = Promise.withResolvers<LinkFault>();
  const link = new GatewayLink({
    clock,
    hostname: '127.0.0.1',
    port: String(service.address.port),
    identity: signIdentity(secret, null, { requestId: linkRequestId, nowMs: clock.nowMs() }),
    connectTimeoutMs: 5_000,
    checkIntervalMs: 5_000,
    onLeaving,
    onClosed: () => undefined,
  });
  link.send(
    {
      requestId: 'r',
      endpoint: 'hold-sample',
      wants: 'whole',
      path: {},
      query: [],
      caller: member,
      headers: {},
      body: Buffer.alloc(0),
    },
    { onLinkAnswer: () => undefined, onLinkFault: resolve },
  );
  await expect.poll(() => hangUps).toEqual(['waiting']);
  const stopped = service.stop();
  await left;
  await clock.advance(config.drainTimeoutMs);
  await stopped;
  expect((await lost).message).toBe('the connection ended');
});
