import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { expect, it } from 'vitest';

import { faultLogger } from './tolerated-faults.ts';

it('logs errors that are not store failures, once a minute', async () => {
  const clock = new MovedClock();
  const lines: string[] = [];
  const tell = faultLogger(
    createLogger(
      { service: 'test', nodeId: 'test', level: 'debug' },
      { write: (line: string) => lines.push(line) },
    ),
    'counted nothing',
    clock,
  );
  for (const message of [
    'Connection is closed.',
    'Command timed out',
    'Command aborted due to connection close',
  ])
    tell(new Error(message));
  expect(lines).toEqual([]);
  tell(new Error('WRONGTYPE Operation against a key holding the wrong kind of value'));
  tell(new TypeError('x is not a function'));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level: 'error',
      msg: 'counted nothing',
      err: expect.objectContaining({
        message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
      }) as unknown,
    }),
  ]);
  await clock.advance(59_999);
  tell(new TypeError('x is not a function'));
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  tell(new TypeError('x is not a function'));
  expect(lines).toHaveLength(2);
});
