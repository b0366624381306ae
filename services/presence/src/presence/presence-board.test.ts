import { EventEmitter } from 'node:events';

import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import { createLogger } from '@parley/logging';
import type { Redis } from '@parley/redis';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';

import { PresenceBoard } from './presence-board.ts';

const presenceRow = { userId: 7, client: 'website', status: 'active', reportedAtMs: 5_000 };

test.each([
  ['nothing of an outage', 'Connection is closed.', []],
  ['why Redis refuses', 'NOPERM this user has no permissions', ['error']],
])('presence is served from Postgres, and the log says %s', async (_what, message, levels) => {
  const lines: string[] = [];
  const board = new PresenceBoard({
    pool: { query: async () => ({ rows: [presenceRow] }) } as unknown as Pool,
    redis: Object.assign(new EventEmitter(), {
      status: 'ready',
      defineCommand: () => undefined,
      parleyPresence: () => Promise.reject(new Error(message)),
    }) as unknown as Redis,
    keyPrefix: 'p',
    eventLog: {} as unknown as EventLog,
    log: createLogger(
      { service: 'presence', nodeId: 'test', level: 'info' },
      { write: (line: string) => lines.push(line) },
    ),
    registry: new Registry(),
  });
  expect(await board.read(7)).toEqual(
    new Map([['website', { status: 'active', reportedAtMs: 5_000 }]]),
  );
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(levels);
  await board.stop();
});
