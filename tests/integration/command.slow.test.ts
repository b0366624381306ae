/** The operator's command as a process of its own. */
import { parleyVersion } from '@parley/server';
import { expect, test } from 'vitest';

import { startParley } from '../support/run-parley.ts';

test('it prints its version', async () => {
  const { ended } = startParley({}, ['--version']);
  expect(await ended).toEqual({ code: 0, out: `${parleyVersion}\n`, error: '' });
});

test('the process ends with the exit code, and prints an explanation', async () => {
  const { ended } = startParley({ PARLEY_KEY_SECRET: 'k'.repeat(32) }, ['log']);
  expect(await ended).toMatchObject({
    code: 1,
    out: '',
    error: expect.stringMatching(/^parley: The configuration has 1 fault/) as string,
  });
});
