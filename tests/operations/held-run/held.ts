import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findTestRun, testRunEnvironment } from '@parley/launcher/local-stores';
import { serviceNames, startCluster } from '@parley/test-kit';
import { expect, test } from 'vitest';

test('a system, a program of others and a folder', async () => {
  const cluster = await startCluster({ events: 0, people: 0, presence: 0, subscriptions: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'held-'));
  // Ends for no signal that a terminal sends.
  const stubborn = spawn('sh', ['-c', 'trap "" INT TERM HUP; while :; do sleep 1; done'], {
    env: { PATH: process.env['PATH'], ...testRunEnvironment() },
    detached: true,
    stdio: 'ignore',
  });
  const services = serviceNames.flatMap((service) => cluster.findProcesses(service));
  expect(services).toHaveLength(2);
  const held = {
    run: findTestRun(),
    folder,
    pids: [process.pid, stubborn.pid, ...services.map(({ pid }) => pid)],
  };
  process.stdout.write(`held ${JSON.stringify(held)}\n`);
  await new Promise<never>(() => undefined);
});
