import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { expect, test } from 'vitest';

import { newestPresence } from './presence-state.ts';

test.each([
  ['nothing of an outage', 'Connection is closed.', []],
  ['why Redis refuses', 'OOM command not allowed', ['error']],
])('registers continue without Redis, and the log says %s', async (_what, message, levels) => {
  const lines: string[] = [];
  const log = createLogger(
    { service: 'events', nodeId: 'test', level: 'debug' },
    { write: (line: string) => lines.push(line) },
  );
  const newest = newestPresence(
    { states: new Map([[1, new Map()]]), refresh: () => Promise.reject(new Error(message)) },
    log,
    new MovedClock(),
  );
  expect(await newest()).toEqual(new Map());
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(levels);
});
