import express from 'express';
import type { Express, Response } from 'express';
import { AggregatorRegistry, Registry } from 'prom-client';

import { registryOfProcess } from './metrics.ts';
import { nameOfProcess } from './process-name.ts';
import type { ProcessName } from './process-name.ts';

/** One condition of readiness, such as a current schema or a database that answers. */
export type ReadinessCheck = {
  readonly name: string;
  /** Resolves when the condition holds; rejects with the reason when it does not. */
  readonly check: () => Promise<void> | void;
};

/** A service on the pages of its process. */
export type ShownService = {
  readonly service: string;
  readonly nodeId: string;
  readonly registry: Registry;
  /** False before the service serves and after it was asked to end. */
  readonly isServing: () => boolean;
  readonly checks: () => readonly ReadinessCheck[];
};

function send(response: Response, status: number, body: Readonly<Record<string, unknown>>): void {
  response.status(status).set('Cache-Control', 'no-store').json(body);
}

async function faultsOf({ checks, isServing }: ShownService): Promise<Record<string, string>> {
  if (!isServing()) return { serving: 'not serving' };
  const faults: Record<string, string> = {};
  await Promise.all(
    checks().map(async ({ name, check }) => {
      try {
        await check();
      } catch (error) {
        faults[name] = error instanceof Error ? error.message : String(error);
      }
    }),
  );
  return faults;
}

/** @returns the faults of all services, which say whose they are where there are several */
async function faultsOfAll(services: readonly ShownService[]): Promise<Record<string, string>> {
  const [only] = services;
  if (only !== undefined && services.length === 1) return faultsOf(only);
  const faults = await Promise.all(
    services.map(async (each) =>
      Object.entries(await faultsOf(each)).map(([name, fault]) => [
        `${each.service}: ${name}`,
        fault,
      ]),
    ),
  );
  return Object.fromEntries(faults.flat()) as Record<string, string>;
}

async function metricsOf(version: string, services: readonly ShownService[]): Promise<string> {
  // A copy, because its labels are those of this server.
  const ofProcess = Registry.merge([registryOfProcess(version)]);
  ofProcess.setDefaultLabels(labelsOf(nameOfProcess(services)));
  const ofServices = await Promise.all(
    services.map((each) => {
      const { registry } = each;
      registry.setDefaultLabels(labelsOf(each));
      return registry.getMetricsAsJSON();
    }),
  );
  const texts = [ofProcess, AggregatorRegistry.aggregate(ofServices)].map((each) => each.metrics());
  return (await Promise.all(texts)).join('\n');
}

function labelsOf({ service, nodeId }: ProcessName): { service: string; node_id: string } {
  return { service, node_id: nodeId };
}

/**
 * The app of the internal port: `/health/live`, `/health/ready` and `/metrics`. Live means that the process runs; ready means that all its
 * services may receive requests, and otherwise names the failed checks.
 *
 * @param services asked at each request; a process with none is not ready
 */
export function createInternalApp(
  version: string,
  services: () => readonly ShownService[],
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.get('/health/live', (_request, response) => {
    send(response, 200, { status: 'live', ...labelsOf(nameOfProcess(services())), version });
  });
  app.get('/health/ready', async (_request, response) => {
    const faults = await faultsOfAll(services());
    const isReady = services().length > 0 && Object.keys(faults).length === 0;
    const status = isReady ? 'ready' : 'not ready';
    send(response, isReady ? 200 : 503, {
      status,
      ...labelsOf(nameOfProcess(services())),
      version,
      faults,
    });
  });
  app.get('/metrics', async (_request, response) => {
    response
      .set('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
      .send(await metricsOf(version, services()));
  });
  return app;
}
