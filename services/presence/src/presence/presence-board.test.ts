import { EventEmitter } from 'node:events';

import { MovedClock } from '@parley/clock';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import { createLogger } from '@parley/telemetry/logging';
import type { Redis } from '@parley/cluster/redis';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';

import { PresenceBoard } from './presence-board.ts';

const presenceRow = { userId: 7, client: 'website', status: 'active', reportedAtMs: 5_000 };

/** A board whose Redis refuses everything with this message. */
function boardWithout(
  refusal: string,
  { clock, onRead }: { readonly clock: MovedClock; readonly onRead: () => void },
): { readonly board: PresenceBoard; readonly lines: string[] } {
  const lines: string[] = [];
  const query = async (): Promise<{ readonly rows: readonly unknown[] }> => {
    onRead();
    return { rows: [presenceRow] };
  };
  const board = new PresenceBoard({
    clock,
    pool: { query } as unknown as Pool,
    redis: Object.assign(new EventEmitter(), {
      status: 'ready',
      defineCommand: () => undefined,
      parleyPresence: () => Promise.reject(new Error(refusal)),
    }) as unknown as Redis,
    keyPrefix: 'p',
    eventLog: {} as unknown as EventLog,
    log: createLogger(
      { service: 'presence', nodeId: 'test', level: 'info' },
      { write: (line: string) => lines.push(line) },
    ),
    registry: new Registry(),
  });
  return { board, lines };
}

test.each([
  ['nothing of an outage', 'Connection is closed.', []],
  ['why Redis refuses', 'NOPERM this user has no permissions', ['error']],
])('presence is served from Postgres, and the log says %s', async (_what, message, levels) => {
  const { board, lines } = boardWithout(message, {
    clock: new MovedClock(),
    onRead: () => undefined,
  });
  expect(await board.read(7)).toEqual(
    new Map([['website', { status: 'active', reportedAtMs: 5_000 }]]),
  );
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(levels);
  await board.stop();
});

test('without Redis, Postgres is read again after a second, and not before', async () => {
  const clock = new MovedClock();
  let reads = 0;
  const { board } = boardWithout('Connection is closed.', { clock, onRead: () => (reads += 1) });
  const readBoard = async (): Promise<number> => {
    const before = reads;
    await board.read(7);
    return reads - before;
  };
  // Each read tries to fill Redis from Postgres.
  expect(await readBoard()).toBe(2);
  await clock.advance(999);
  expect(await readBoard()).toBe(1);
  await clock.advance(1);
  expect(await readBoard()).toBe(2);
  await board.stop();
  expect(clock.nextInMs, 'a stopped board does nothing').toBeUndefined();
});
