/**
 * No input produces a 500, none hangs, and nothing is half-applied (architecture, What always holds): every endpoint gets requests
 * that no client sends. `PARLEY_PROPERTY_SEED` repeats a run by its printed seed.
 */
import { beforeAll, expect, test } from 'vitest';

import { endpoints } from '@parley/api/endpoints';
import { SeededRandom } from '../privacy/seeded-random.ts';
import { brokenRequests, sendBytes } from './broken-requests.ts';
import { ChangeWatch } from './change-watch.ts';
import { HostileRun } from './hostile-run.ts';
import { HostileWorld } from './hostile-world.ts';
import { randomPlans, systematicPlans } from './request-plan.ts';
import type { Plan } from './request-plan.ts';
import { seedsOf } from '../support/seeds.ts';
import { sendRaw } from '../support/send-raw.ts';
import { useFixture } from '../support/use-fixture.ts';
import { unknownPaths } from './unknown-paths.ts';

const requestsMin = 20_000;
// Eight minutes on two cores that are also used otherwise.
const runTimeoutMs = 1_800_000;

let watch: ChangeWatch;

const world = useFixture(() => HostileWorld.start());
beforeAll(async () => {
  watch = await ChangeWatch.start(world.pool);
});

/** Polling without a queue creates one (contract, Get events). */
function reads({ endpoint, shape }: Plan): boolean {
  const isRead = endpoint.method === 'GET' && endpoint.name !== 'get-events';
  return isRead && !['otherMethod', 'overriddenMethod'].includes(shape);
}

/** Faults that differ only in numbers and texts count as one. */
function oneOfEach(faults: readonly string[]): string[] {
  const kindOf = (fault: string): string =>
    (fault.split('\n')[0] ?? '').replaceAll(/\d+|"[^"]*"/g, '').slice(0, 120);
  return [...new Map(faults.map((fault) => [kindOf(fault), fault])).values()];
}

test('a change is detected in any table', async () => {
  await watch.take();
  const before = await watch.digest();
  await world.restore();
  const tables = (await watch.take()).map(({ table }) => table);
  const after = await watch.digest();
  const differing = Object.keys(before).filter((table) => before[table] !== after[table]);
  const certain = expect.arrayContaining(['messages', 'streams', 'user_groups']) as string[];
  expect(differing).toEqual(certain);
  expect(tables).toEqual(certain);
});

test.each(seedsOf('hostile input'))(
  'no endpoint fails, hangs or half-applies a request, whatever the input (seed %i)',
  async (seed) => {
    const random = new SeededRandom(seed);
    const systematic = systematicPlans(endpoints, random);
    const mixed = randomPlans(endpoints, random, requestsMin - systematic.length);
    const run = new HostileRun(world, watch);
    await run.read([...systematic, ...mixed].filter(reads));
    await run.writeOneByOne(systematic.filter((plan) => !reads(plan)));
    await run.writeTogether(mixed.filter((plan) => !reads(plan)));
    const { faults, sent, statuses } = run.report;
    process.stdout.write(
      `hostile input: seed ${seed}, ${sent} requests, ${JSON.stringify(Object.fromEntries(statuses))}\n`,
    );
    // As the error's own text, which summaries of a run show whole.
    if (faults.length > 0) throw new Error(oneOfEach(faults).join('\n'));
    expect(sent).toBeGreaterThanOrEqual(requestsMin);
    // A caller that is always refused tests nothing.
    expect(statuses.get(200)).toBeGreaterThan(requestsMin / 20);
  },
  runTimeoutMs,
);

test.each(unknownPaths)('%s is unknown: 404 as JSON', async (path) => {
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const answer = await sendRaw(world.url, { method, path, headers: {}, body: undefined });
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json']);
    expect(JSON.parse(answer.text)).toEqual({ result: 'error', msg: 'Not found' });
  }
});

test.each(brokenRequests)('%s does no harm', async (_what, text) => {
  for (const url of world.cluster.gatewayUrls) {
    const answered = await sendBytes(url, Buffer.from(text, 'latin1'));
    // With or without an answer of the server, the connection is closed.
    expect(answered).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
    const next = await sendRaw(url, {
      method: 'GET',
      path: '/api/v1/server_settings',
      headers: {},
      body: undefined,
    });
    expect(next.status).toBe(200);
  }
});
