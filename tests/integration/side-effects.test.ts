/** Side effects of the log on real stores: created once, executed at least once, by one process at a time. */
import { randomBytes } from 'node:crypto';

import { MovedClock, systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { EventLog, audienceKey, findSideEffectWork } from '@parley/event-log';
import { badRequest } from '@parley/api';
import type { SideEffect } from '@parley/event-log';
import type { Pool } from '@parley/database';
import { SideEffectRunner, takeSideEffects } from '@parley/outgoing/jobs';
import type { RunAgain, SideEffectHandlers } from '@parley/outgoing/jobs';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests } from '@parley/cluster/redis';
import { claimSideEffect, listDueSideEffectsOfBots, lockSideEffectCursor } from '@parley/store';
import {
  createTestDatabase,
  getTestStores,
  openTestPool,
  startTestRedis,
  waitUntil,
} from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';

const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

function redisConfigFor(url: string) {
  return {
    url: new Secret(url),
    prefix: `test-${randomBytes(4).toString('hex')}`,
    commandTimeoutMs: 2_000,
  };
}

const redisConfig = redisConfigFor(getTestStores().redisUrl);
const redis = connectForRequests(redisConfig, log, systemClock);
afterAll(() => redis.disconnect());

/** How often a process looks for what is due. */
const sweepIntervalMs = 5_000;

let database: TestDatabase;
let pool: Pool;
let eventLog: EventLog;
let clock: MovedClock;
const runners: SideEffectRunner[] = [];

beforeEach(async () => {
  clock = new MovedClock();
  database = await createTestDatabase();
  pool = openTestPool(database.url, 8);
  eventLog = new EventLog({ clock, pool, redis, keyPrefix: redisConfig.prefix, log });
});

afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop();
  await pool.end();
  await database.drop();
});

function created(target: number): SideEffect {
  return { kind: 'stream-created-notice', target, actorId: 1, following: [] };
}

async function append(sideEffects: readonly SideEffect[]): Promise<void> {
  await eventLog.transaction(async () => ({
    result: undefined,
    append: {
      entries: [
        {
          entry: { v: 1, kind: 'change', effects: [], events: [], sideEffects },
          audience: audienceKey.everyone,
        },
      ],
    },
  }));
}

async function listRows(): Promise<{ kind: string; target: number; attempts: number }[]> {
  const { rows } = await pool.query<{ kind: string; target: number; attempts: number }>(
    'SELECT kind, target, attempts FROM side_effects ORDER BY position, target',
  );
  return rows;
}

/** Starts a runner with the same handler for all kinds. */
function run(
  handle: (effect: SideEffect, key: string, attempts: number) => Promise<void | RunAgain>,
  config = redisConfig,
): SideEffectRunner {
  const one: SideEffectHandlers['stream-created-notice'] = async ({ effect, key, attempts }) =>
    handle(effect, key, attempts);
  const runner = new SideEffectRunner({
    clock,
    pool,
    redis: config,
    handlers: {
      'stream-created-notice': one,
      'subscribed-notice': async ({ effect, key, attempts }) => handle(effect, key, attempts),
      'new-streams-notice': async ({ effect, key, attempts }) => handle(effect, key, attempts),
      'stream-renamed-notice': async ({ effect, key, attempts }) => handle(effect, key, attempts),
      'messages-moved-notice': async ({ effect, key, attempts }) => handle(effect, key, attempts),
      'signed-up-notice': async ({ effect, key, attempts }) => handle(effect, key, attempts),
      'outgoing-webhook': async ({ effect, key, attempts }) => handle(effect, key, attempts),
    },
    log,
    registry: new Registry(),
  });
  runners.push(runner);
  runner.start();
  return runner;
}

/** Lets all processes begin with what is due. */
async function beginWithDueEffects(): Promise<void> {
  await Promise.all(runners.map((runner) => runner.settle()));
}

/** Waits until what is due has been run, and has had this outcome. */
function untilRun<Outcome>(
  what: string,
  outcome: () => Outcome | Promise<Outcome>,
): Promise<Exclude<Outcome, false | null | undefined | 0 | ''>> {
  return waitUntil(what, async () => {
    await beginWithDueEffects();
    return outcome();
  });
}

test('each effect in the log becomes one row, whichever process takes it and however often', async () => {
  await append([created(1), created(2)]);
  await append([]);
  await append([created(1)]);
  const steps = await Promise.all(Array.from({ length: 5 }, async () => takeSideEffects(pool)));
  expect(steps.reduce((sum, { taken }) => sum + taken, 0)).toBe(3);
  expect((await listRows()).map(({ target }) => target)).toEqual([1, 2, 1]);
  expect(await takeSideEffects(pool)).toEqual({ taken: 0, mayHaveMore: false });
});

test('while one process takes them, others take none', async () => {
  await append([created(1)]);
  const client = await pool.connect();
  await client.query('BEGIN');
  expect(await lockSideEffectCursor(client)).toBeDefined();
  expect(await takeSideEffects(pool)).toEqual({ taken: 0, mayHaveMore: false });
  await client.query('ROLLBACK');
  client.release();
  expect((await takeSideEffects(pool)).taken).toBe(1);
});

test('entries without side effects are not read to find out that there is nothing to take', async () => {
  await pool.query(
    `INSERT INTO log_entries (position, length, message_id, audience, payload)
     SELECT n, 1, 0, 0, '{}' FROM generate_series(1000, 2000) n`,
  );
  const client = await pool.connect();
  await client.query('BEGIN');
  expect(await findSideEffectWork(client, 10_000)).toBe(false);
  const { rows } = await client.query<{ read: number }>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS read FROM pg_stat_xact_user_tables WHERE relname LIKE 'log_entries%'`,
  );
  expect(await findSideEffectWork(client, 1_000)).toBe(true);
  await client.query('ROLLBACK');
  client.release();
  expect(rows[0]?.read).toBeLessThan(10);
});

test('many effects are taken in steps, none twice', async () => {
  for (let n = 0; n < 250; n += 1) await append([created(n + 1)]);
  const taken: number[] = [];
  for (let mayHaveMore = true; mayHaveMore;) {
    const step = await takeSideEffects(pool);
    taken.push(step.taken);
    ({ mayHaveMore } = step);
  }
  expect(taken).toEqual([100, 100, 50]);
  expect(await listRows()).toHaveLength(250);
});

test('two processes run every effect once, with its own key', async () => {
  const keys: string[] = [];
  const note = async (_effect: SideEffect, key: string): Promise<void> => {
    keys.push(key);
  };
  run(note);
  run(note);
  for (let n = 0; n < 20; n += 1) await append([created(2 * n + 1), created(2 * n + 2)]);
  await untilRun(
    'all effects have been run',
    async () => keys.length >= 40 && (await listRows()).length === 0,
  );
  expect(new Set(keys).size).toBe(40);
  expect(keys).toHaveLength(40);
  expect(keys.every((key) => /^stream-created-notice-\d+-\d+$/.test(key))).toBe(true);
});

test('impossible effects are dropped, and failed ones are retried with the same key', async () => {
  const calls: [target: number, key: string, attempts: number][] = [];
  run(async (effect, key, attempts) => {
    calls.push([effect.target, key, attempts]);
    if (effect.target === 1) throw badRequest('no such stream');
    if (attempts < 2) throw new Error('not now');
  });
  await append([created(1), created(2)]);
  await untilRun(
    'both are done with',
    async () => calls.length >= 3 && (await listRows()).length === 0,
  );
  expect(calls.filter(([target]) => target === 1)).toHaveLength(1);
  const [first, second] = calls.filter(([target]) => target === 2);
  expect([first?.[2], second?.[2]]).toEqual([1, 2]);
  expect(first?.[1]).toBe(second?.[1]);
});

test('an effect of a newer version waits for a process that knows it', async () => {
  await append([JSON.parse('{ "kind": "of a newer version", "target": 3 }') as SideEffect]);
  run(async () => undefined);
  const failures = async (): Promise<{ kind: string; error: string }[]> =>
    (
      await pool.query<{ kind: string; error: string }>(
        'SELECT kind, last_error AS error FROM side_effects WHERE last_error IS NOT NULL',
      )
    ).rows;
  const [left] = await untilRun('it was tried', async () => {
    const rows = await failures();
    return rows.length > 0 ? rows : undefined;
  });
  expect(left).toMatchObject({ kind: 'of a newer version' });
  expect(left?.error).toContain('no handler for the side effect');
});

test('calls of one owner, with any number of bots, leave room for others', async () => {
  const makeUser = async (name: string, ownerId: number | null): Promise<number> => {
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, bot_type, bot_owner_id)
       VALUES ($1, $1, $1, $1, $1, CASE WHEN $2::int IS NOT NULL THEN 3 END, $2) RETURNING id`,
      [name, ownerId],
    );
    return rows[0]?.id ?? 0;
  };
  const owner = await makeUser('owner', null);
  const bots: number[] = [];
  for (let n = 0; n < 6; n += 1) bots.push(await makeUser(`bot ${n}`, owner));
  const other = await makeUser('other bot', await makeUser('other', null));
  await pool.query(
    `INSERT INTO side_effects (position, kind, target, effect)
     SELECT p + 10 * row_number() OVER (), 'outgoing-webhook', t, '{}' FROM unnest($1::int[]) t, generate_series(1, 5) p`,
    [[...bots, other]],
  );
  const bounds = { perBotMax: 4, perOwnerMax: 20 };
  const list = () =>
    listDueSideEffectsOfBots(pool, 'outgoing-webhook', { ...bounds, effectsMax: 100 });
  const listed = await list();
  expect(listed.filter(({ target }) => target !== other)).toHaveLength(20);
  expect(listed.filter(({ target }) => target === other)).toHaveLength(4);
  const { rows: all } = await pool.query<(typeof listed)[number]>(
    'SELECT position, kind, target FROM side_effects ORDER BY position',
  );
  const claimed: number[] = [];
  for (const key of all)
    if ((await claimSideEffect(pool, key, { claimSecs: 60, bounds })) !== undefined)
      claimed.push(key.target);
  expect(claimed.filter((target) => target !== other)).toHaveLength(20);
  expect(claimed.filter((target) => target === other)).toHaveLength(4);
  expect(await list()).toEqual([]);
});

test('an effect of a process that died is run again when its claim lapses', async () => {
  await append([created(7)]);
  await takeSideEffects(pool);
  const { rows } = await pool.query<{ position: number }>('SELECT position FROM side_effects');
  const key = {
    position: rows[0]?.position ?? 0,
    kind: 'stream-created-notice' as const,
    target: 7,
  };
  expect(await claimSideEffect(pool, key, { claimSecs: 60 })).toMatchObject({ attempts: 1 });
  expect(await claimSideEffect(pool, key, { claimSecs: 60 })).toBeUndefined();
  const seen: number[] = [];
  run(async (_effect, _key, attempts) => {
    seen.push(attempts);
  });
  // The claim of the dead process expires.
  await pool.query(`UPDATE side_effects SET claimed_until = parley_now()`);
  await untilRun('it has been run', async () => (await listRows()).length === 0);
  expect(seen).toEqual([2]);
});

test('a process that stops takes no further effects', async () => {
  const started = Promise.withResolvers<undefined>();
  const end = Promise.withResolvers<RunAgain>();
  const runner = run(async () => {
    started.resolve(undefined);
    return end.promise;
  });
  await append([created(1)]);
  await beginWithDueEffects();
  await started.promise;
  const stopped = runner.stop();
  // By then it waits for the effect in progress.
  await pool.query('SELECT 1');
  end.resolve({ againInMs: 100 });
  await stopped;
  const query = vi.spyOn(pool, 'query');
  await clock.advance(60_000);
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});

test('a Redis that restarts empty loses no effect', async () => {
  const own = await startTestRedis();
  try {
    const seen: number[] = [];
    run(async (effect) => {
      seen.push(effect.target);
    }, redisConfigFor(own.url));
    await append([created(1)]);
    await untilRun('the first is done', async () => seen.length === 1);
    await own.kill();
    await append([created(2)]);
    await clock.advance(sweepIntervalMs);
    await waitUntil('the second is a row', async () => (await listRows()).length === 1);
  } finally {
    await own.stop();
  }
  const seen: number[] = [];
  const other = run(async (effect) => {
    seen.push(effect.target);
  });
  await waitUntil('the second is done', async () => {
    await other.settle();
    return seen.length === 1;
  });
  expect(seen).toEqual([2]);
});
