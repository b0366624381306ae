import { get } from 'node:http';

import { MovedClock } from '@parley/clock';
import { readServiceConfig } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import { describe, expect, it } from 'vitest';

import { awaitStore } from '../src/await-store.ts';
import { startService } from '../src/service-frame.ts';
import type { RunningService, ServiceFrame } from '../src/service-frame.ts';
import { parleyVersion } from '../src/service-process.ts';

const config = readServiceConfig(
  {
    DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
    PARLEY_INTERNAL_SECRET: 'i'.repeat(32),
    PARLEY_KEY_SECRET: 'k'.repeat(32),
    PARLEY_DRAIN_TIMEOUT_SECS: '5',
  },
  'messages',
);

function loggerOf(lines: string[]) {
  const write = (line: string) => lines.push(line);
  return createLogger({ service: 'messages', nodeId: config.nodeId, level: 'info' }, { write });
}

async function healthOf(port: number, path: string): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return [response.status, (await response.json()) as Record<string, unknown>];
}

describe('startService', () => {
  it('is alive, becomes ready, drains its work and releases in reverse order', async () => {
    const lines: string[] = [];
    const steps: string[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    const { promise: held, resolve: isHeld } = Promise.withResolvers<undefined>();
    let isHealthy = false;
    const service = await startService(
      config,
      (frame: ServiceFrame) => {
        frame.onDispose('first', () => void steps.push('first disposed'));
        frame.onDispose('second', () => void steps.push('second disposed'));
        frame.onDispose('broken', () => {
          throw new Error('cannot be released');
        });
        frame.onDrain('polls', () => {
          steps.push('polls answered');
          release(undefined);
        });
        frame.onListening(() => {
          steps.push('listening');
          frame.onDrain('lease', () => void steps.push('lease given up'));
        });
        frame.stopping.addEventListener('abort', () => steps.push('stopping'));
        frame.addReadinessCheck('store', () => {
          if (!isHealthy) throw new Error('not yet');
        });
        return (_request, response) => {
          isHeld(undefined);
          void released.then(() => response.end('answered'));
        };
      },
      { log: loggerOf(lines) },
    );
    const { port, internalPort } = service.address;
    expect(await healthOf(internalPort, '/health/live')).toMatchObject([200, { status: 'live' }]);
    expect(await healthOf(internalPort, '/health/ready')).toMatchObject([
      503,
      { faults: { store: 'not yet' } },
    ]);
    isHealthy = true;
    expect(await healthOf(internalPort, '/health/ready')).toMatchObject([200, { status: 'ready' }]);
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    for (const figure of ['p50', 'p99', 'max'])
      expect(metrics).toMatch(
        new RegExp(`nodejs_eventloop_lag_${figure}_seconds\\{[^}]+\\} [0-9.e-]+`),
      );
    expect(metrics).not.toContain('nodejs_eventloop_lag_stddev_seconds');
    expect(metrics).toContain('parley_http_requests_in_flight');
    // Each series names its service, also the series of packages.
    expect(metrics).toMatch(
      new RegExp(
        `parley_build_info\\{version="${RegExp.escape(parleyVersion)}",service="[^"]+",node_id="[^"]+"\\} 1`,
      ),
    );
    for (const line of metrics.split('\n'))
      if (line !== '' && !line.startsWith('#')) expect(line).toContain('node_id="');
    const listening = JSON.parse(
      lines.find((line) => line.includes('"listening"')) ?? '{}',
    ) as unknown;
    expect(listening).toMatchObject({
      service: 'messages',
      port,
      internal_port: internalPort,
      pid: process.pid,
    });

    const answer = Promise.withResolvers<string>();
    get({ port, host: '127.0.0.1' }, (response) => {
      response.setEncoding('utf8').on('data', answer.resolve);
    }).on('error', answer.reject);
    await held;
    await Promise.all([service.stop(), service.stop()]);
    expect(await answer.promise).toBe('answered');
    expect(steps).toEqual([
      'listening',
      'stopping',
      'lease given up',
      'polls answered',
      'second disposed',
      'first disposed',
    ]);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    await expect(healthOf(internalPort, '/health/live')).rejects.toThrow('fetch failed');
  });

  it('releases started parts if the rest cannot start', async () => {
    const steps: string[] = [];
    const start = startService(
      config,
      (frame) => {
        frame.onDispose('first', () => void steps.push('released'));
        throw new Error('no store');
      },
      { log: loggerOf([]) },
    );
    await expect(start).rejects.toThrow('no store');
    expect(steps).toEqual(['released']);
  });

  describe('waits for a store', () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

    /** Starts a service whose store answers with these, one after another. */
    function startWith(
      answers: readonly (Error | undefined)[],
      stopAsked: Promise<unknown> = new Promise(() => undefined),
    ): {
      readonly start: Promise<RunningService>;
      readonly clock: MovedClock;
      asked: () => number;
    } {
      const clock = new MovedClock();
      let asked = 0;
      const start = startService(
        config,
        async (frame) => {
          await awaitStore(frame, 'Postgres', async () => {
            const answer = answers[Math.min(asked, answers.length - 1)];
            asked += 1;
            if (answer !== undefined) throw answer;
          });
          return (_request, response) => response.end();
        },
        { log: loggerOf([]), clock, stopAsked },
      );
      start.catch(() => undefined);
      return { start, clock, asked: () => asked };
    }

    const untilAsked = (asked: () => number): Promise<void> =>
      expect.poll(asked, { timeout: 10_000 }).toBe(1);

    it('until it answers', async () => {
      const { start, clock, asked } = startWith([away, away, undefined]);
      await untilAsked(asked);
      await clock.advance(2_000);
      await (await start).stop();
      expect(asked()).toBe(3);
    });

    it('less and less often, up to the limit of the start', async () => {
      const { start, clock, asked } = startWith([away]);
      await untilAsked(asked);
      await clock.advance(config.startLimitMs + 10_000);
      await expect(start).rejects.toThrow('away');
      expect(asked()).toBeLessThan(config.startLimitMs / 4_000);
    });

    it('but not if the answer is a fault, or the process is told to stop', async () => {
      await expect(startWith([new Error('another schema')]).start).rejects.toThrow('schema');
      const { promise: stopAsked, resolve: stop } = Promise.withResolvers<undefined>();
      const { start, asked } = startWith([away], stopAsked);
      await untilAsked(asked);
      stop(undefined);
      await expect(start).rejects.toThrow('abort');
    });
  });
});
