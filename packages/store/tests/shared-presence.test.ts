/** Presence in a real Redis: the script judges as `applyReport` does, and every copy in memory is exact. */
import { once } from 'node:events';

import { systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests, keyNames } from '@parley/cluster/redis';
import { createRedisPrefix, getTestStores } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';

import { SharedPresence, applyReport } from '../src/presence-state/index.ts';
import type { ClientStates } from '../src/presence-state/index.ts';

const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });
const connect = () =>
  connectForRequests(
    { url: new Secret(getTestStores().redisUrl), prefix: 'p', commandTimeoutMs: 10_000 },
    log,
    systemClock,
  );
const [one, other] = [connect(), connect()];
await Promise.all([one, other].map((redis) => once(redis.setMaxListeners(0), 'ready')));
afterAll(() => {
  one.disconnect();
  other.disconnect();
});

const plain = (states: ReadonlyMap<number, ClientStates>): object =>
  Object.fromEntries([...states].map(([userId, clients]) => [userId, clients]));

const report = fc.record({
  userId: fc.integer({ min: 1, max: 2 }),
  client: fc.constantFrom('website', 'ZulipTerminal', '__proto__', '12', 'é"\\/\u2028', 'x'),
  status: fc.constantFrom('active' as const, 'idle' as const),
  secs: fc.integer({ min: -5, max: 100 }),
  replica: fc.nat({ max: 1 }),
  /** A further client makes the person's clients too many. */
  crowd: fc.nat({ max: 3 }).map((drawn) => drawn === 0),
});

it('judges reports as applyReport does, on every replica', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 60, size: '+1' }), async (reports) => {
      const keyPrefix = createRedisPrefix();
      const replicas = [one, other].map((redis) => new SharedPresence({ redis, keyPrefix }));
      const model = new Map<number, ClientStates>();
      expect(await replicas[0]?.refresh()).toBe(false);
      await replicas[0]?.merge(new Map(), true);
      expect(await replicas[0]?.refresh()).toBe(true);
      let nowMs = 1_588_000_000_000;
      for (const [n, { userId, client, status, secs, replica, crowd }] of reports.entries()) {
        nowMs += secs * 1_000 + 1;
        const given = { client: crowd ? `${client} ${n}` : client, status, nowMs };
        const { states, taken, isNews } = applyReport(model.get(userId) ?? new Map(), given);
        model.set(userId, states);
        expect(await replicas[replica]?.report(userId, given)).toEqual({
          taken,
          isNews,
          generation: replicas[0]?.generation,
        });
      }
      for (const replica of replicas) {
        expect(await replica.refresh()).toBe(true);
        expect(plain(replica.states)).toEqual(plain(model));
      }
      const names = keyNames(keyPrefix, one);
      await one.del(names.presence, names.presenceChanges);
    }),
    { numRuns: 40 },
  );
}, 120_000);

it('returns nothing after a key was lost, and works again after filling', async () => {
  const keyPrefix = createRedisPrefix();
  const [ours, theirs] = [one, other].map((redis) => new SharedPresence({ redis, keyPrefix }));
  if (ours === undefined || theirs === undefined) throw new Error('two were made');
  const names = keyNames(keyPrefix, one);
  const given = { client: 'web', status: 'active', nowMs: 1_588_000_000_000 } as const;
  await ours.merge(new Map(), true);
  await ours.report(1, given);
  await theirs.refresh();
  const known = new Map(ours.states);
  for (const lost of [
    [names.presence],
    [names.presenceChanges],
    [names.presence, names.presenceChanges],
  ]) {
    await one.del(...lost);
    expect(await theirs.report(2, given)).toBeUndefined();
    expect(await theirs.refresh()).toBe(false);
    // What is merged before it is complete does not make it answer.
    await theirs.merge(known, false);
    expect(await ours.refresh()).toBe(false);
    await ours.merge(known, true);
    expect(await theirs.refresh()).toBe(true);
    expect(plain(theirs.states)).toEqual(plain(known));
  }
  await one.del(names.presence, names.presenceChanges);
});

it('a merge takes the newer state of each client', async () => {
  const keyPrefix = createRedisPrefix();
  const ours = new SharedPresence({ redis: one, keyPrefix });
  const theirs = new SharedPresence({ redis: other, keyPrefix });
  const reportedAtMs = 1_588_000_000_000;
  await ours.merge(new Map(), true);
  await ours.report(1, { client: 'web', status: 'active', nowMs: reportedAtMs });
  const mergeLater = async (ms: number): Promise<ReadonlyMap<number, ClientStates>> => {
    const state = { status: 'idle', reportedAtMs: reportedAtMs + ms } as const;
    await ours.merge(new Map([[1, new Map([['web', state]])]]), false);
    await theirs.refresh();
    return theirs.states;
  };
  for (const ms of [-1, 0])
    expect((await mergeLater(ms)).get(1)?.get('web')).toEqual({ status: 'active', reportedAtMs });
  expect((await mergeLater(1)).get(1)?.get('web')?.status).toBe('idle');
  const names = keyNames(keyPrefix, one);
  await one.del(names.presence, names.presenceChanges);
});

it('a partly lost filling completes nothing, and the next one does', async () => {
  const keyPrefix = createRedisPrefix();
  const names = keyNames(keyPrefix, one);
  let commands = 0;
  const losing = new Proxy(one, {
    get(redis, name) {
      const member: unknown = Reflect.get(redis, name);
      if (typeof member !== 'function') return member;
      if (name !== 'parleyPresence') return member.bind(redis) as unknown;
      return async (...given: unknown[]) => {
        const answer: unknown = await Reflect.apply(member, redis, given);
        commands += 1;
        if (commands === 1) await redis.del(names.presence, names.presenceChanges);
        return answer;
      };
    },
  });
  const ours = new SharedPresence({ redis: losing, keyPrefix });
  const theirs = new SharedPresence({ redis: other, keyPrefix });
  const known = new Map(
    Array.from({ length: 500 }, (_, n): [number, ClientStates] => [
      n + 1,
      new Map([['web', { status: 'idle', reportedAtMs: 1_588_000_000_000 }]]),
    ]),
  );
  await expect(ours.merge(known, true)).rejects.toThrow('lost presence');
  expect(commands).toBe(2);
  expect(await theirs.refresh()).toBe(false);
  await ours.merge(known, true);
  expect(await theirs.refresh()).toBe(true);
  expect(plain(theirs.states)).toEqual(plain(known));
  expect((await one.hkeys(names.presence)).filter((field) => field.includes('filling'))).toEqual(
    [],
  );
  await one.del(names.presence, names.presenceChanges);
});

it('accepts hundreds of concurrent changes', async () => {
  const keyPrefix = createRedisPrefix();
  const [ours, theirs] = [one, other].map((redis) => new SharedPresence({ redis, keyPrefix }));
  if (ours === undefined || theirs === undefined) throw new Error('two were made');
  await ours.merge(new Map(), true);
  await theirs.refresh();
  for (const count of [900, 2_500]) {
    const reportedAtMs = 1_588_000_000_000 + count;
    const many = Array.from({ length: count }, (_, n): [number, ClientStates] => [
      n + 1,
      new Map([['web', { status: 'idle', reportedAtMs }]]),
    ]);
    await ours.merge(new Map(many), false);
    await theirs.refresh();
    expect(plain(theirs.states)).toEqual(plain(new Map(many)));
  }
  const names = keyNames(keyPrefix, one);
  await one.del(names.presence, names.presenceChanges);
});
