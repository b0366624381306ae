import express from 'express';
import type { Express, Response } from 'express';
import { Registry, register as packageRegistry } from 'prom-client';

/** One condition of readiness, such as a current schema or a database that answers. */
export type ReadinessCheck = {
  readonly name: string;
  /** Resolves when the condition holds; rejects with the reason when it does not. */
  readonly check: () => Promise<void> | void;
};

export type InternalAppOptions = {
  readonly service: string;
  readonly nodeId: string;
  readonly version: string;
  readonly registry: Registry;
  /** False before the service serves and after it was asked to end. */
  readonly isServing: () => boolean;
  readonly checks: () => readonly ReadinessCheck[];
};

function send(response: Response, status: number, body: Readonly<Record<string, unknown>>): void {
  response.status(status).set('Cache-Control', 'no-store').json(body);
}

async function faultsOf(checks: readonly ReadinessCheck[]): Promise<Record<string, string>> {
  const faults: Record<string, string> = {};
  await Promise.all(
    checks.map(async ({ name, check }) => {
      try {
        await check();
      } catch (error) {
        faults[name] = error instanceof Error ? error.message : String(error);
      }
    }),
  );
  return faults;
}

/**
 * The app of the internal port: `/health/live`, `/health/ready` and `/metrics`. Live means that the process runs; ready means that it may
 * receive requests, and otherwise names the failed checks.
 */
export function createInternalApp(options: InternalAppOptions): Express {
  const { service, nodeId, version, registry } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.get('/health/live', (_request, response) => {
    send(response, 200, { status: 'live', service, node_id: nodeId, version });
  });
  app.get('/health/ready', async (_request, response) => {
    const faults = options.isServing()
      ? await faultsOf(options.checks())
      : { serving: 'not serving' };
    const isReady = Object.keys(faults).length === 0;
    const status = isReady ? 'ready' : 'not ready';
    send(response, isReady ? 200 : 503, { status, service, node_id: nodeId, version, faults });
  });
  app.get('/metrics', async (_request, response) => {
    // Packages without a service's configuration, such as the log, count in the library's own registry.
    const all = Registry.merge([registry, packageRegistry]);
    // Merging drops the labels of a registry, so they are set here, also for the packages' series.
    all.setDefaultLabels({ service, node_id: nodeId });
    response.set('Content-Type', registry.contentType).send(await all.metrics());
  });
  return app;
}
