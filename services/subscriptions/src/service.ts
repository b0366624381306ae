import { checkSchemaVersion, createPool } from '@parley/database';
import { EventLog } from '@parley/event-log';
import type { RequestHandler, ServiceFrame } from '@parley/http';
import { subjectLogger } from '@parley/logging';
import { ServiceLease } from '@parley/placement';
import { connectForRequests } from '@parley/redis';
import { StreamTraffic } from '@parley/store';

import { createSubscriptionsApp } from './app.ts';
import { descriptionRenderer } from './render-description.ts';

/** Connects the service to its stores and builds its app; the frame serves it. */
export async function startSubscriptions(frame: ServiceFrame): Promise<RequestHandler> {
  const { config, log } = frame;
  const pool = createPool({
    databaseUrl: config.database.url.reveal(),
    applicationName: `parley ${config.service} ${config.nodeId}`,
    connectionsMax: config.database.poolMax,
    connectTimeoutMs: config.database.connectTimeoutMs,
    statementTimeoutMs: config.database.statementTimeoutMs,
    onError: (error) => log.warn({ err: error }, 'an idle database connection failed'),
  });
  frame.onDispose('database', () => pool.end());
  await checkSchemaVersion(pool);
  frame.addReadinessCheck('schema', () => checkSchemaVersion(pool));
  const redis = connectForRequests(config.redis, subjectLogger(log, 'subscriptions:redis'));
  frame.onDispose('redis', () => redis.disconnect());
  frame.onListening(async (address) => {
    const lease = new ServiceLease({
      database: pool,
      redis,
      keyPrefix: config.redis.prefix,
      service: config.service,
      nodeId: config.nodeId,
      address: `${address.host}:${address.port}`,
      log: subjectLogger(log, 'subscriptions:lease'),
    });
    frame.onDrain('lease', () => lease.end());
    await lease.start();
  });
  return createSubscriptionsApp({
    context: {
      pool,
      eventLog: new EventLog({
        pool,
        redis,
        keyPrefix: config.redis.prefix,
        log: subjectLogger(log, 'subscriptions:log'),
      }),
      traffic: new StreamTraffic(),
      renderDescription: descriptionRenderer(config.publicUrl),
      nowMs: Date.now,
    },
    identitySecrets: config.internalSecrets.map((secret) => secret.reveal()),
    log,
    metrics: frame.metrics,
    checkAnswers: config.checkAnswers,
  });
}
