import pg from 'pg';
import { expect, test } from 'vitest';

import { CommitGate, commitThroughGate } from './commit-gate.ts';

/** An error that Postgres reports; the severity is in the language of the server. */
function reported(severity: string, code: string): Error {
  return Object.assign(new pg.DatabaseError('x', 1, 'error'), { severity, code });
}

test.each<[isKnown: boolean, what: string, error: Error]>([
  [true, 'a duplicate', reported('ERROR', '23505')],
  [true, 'a duplicate, in German', reported('FEHLER', '23505')],
  [true, 'a deadlock, in Japanese', reported('エラー', '40P01')],
  [true, 'a full disk', reported('ERROR', '53100')],
  [
    false,
    'a full disk, which may have been that of the log, in German',
    reported('FEHLER', '53100'),
  ],
  [false, 'a full disk of the log', reported('PANIC', '53100')],
  [true, 'a transaction that idled', reported('FATAL', '25P03')],
  [true, 'a transaction that idled, in German', reported('SCHWERWIEGEND', '25P03')],
  [false, 'a shutdown', reported('FATAL', '57P01')],
  [false, 'a shutdown, in German', reported('SCHWERWIEGEND', '57P01')],
  [false, 'a report without a state', reported('FEHLER', '')],
  [false, 'a lost connection', new Error('Connection terminated unexpectedly')],
  [false, 'a broken pipe', Object.assign(new Error('write'), { code: 'EPIPE' })],
  [true, 'what was never sent', new Error('Client was closed and is not queryable')],
])('whether nothing was committed is known: %s, after %s', async (isKnown, _what, error) => {
  const gate = new CommitGate();
  const failing = gate.run(() => commitThroughGate(() => Promise.reject(error)));
  await expect(failing).rejects.toBe(error);
  expect(gate.close()).toBe(isKnown);
});

test('what was committed is known to be so, whatever fails after that', async () => {
  const gate = new CommitGate();
  await gate.run(async () => {
    await commitThroughGate(() => Promise.resolve());
    await commitThroughGate(() => Promise.reject(reported('ERROR', '23505'))).catch(
      () => undefined,
    );
  });
  expect(gate.close()).toBe(false);
});
