/** A slow file that fails is repeated alone, and named even if it passes then. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

test('what passes when repeated is told and no failure, and what fails again is one', () => {
  const folder = 'tests/operations/repeated-run';
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/run.mjs`], {
    cwd: repositoryFolder,
    encoding: 'utf8',
    env: { ...process.env, REPEATED_RUN_FOLDER: mkdtempSync(join(tmpdir(), 'repeated-')) },
  });
  expect(stderr).toMatch(/^all: 2 passed, 2 failed, 0 skipped/m);
  expect(stderr).toContain(
    `passed when repeated: ${folder}/unlucky-file.ts\n  fails the first time\n  AssertionError: expected false to be true`,
  );
  expect(stderr).toMatch(new RegExp(`^FAILED: ${folder}/failing-file.ts$`, 'm'));
  expect([status, stdout]).toEqual([1, '3 passed, 1 failed\n']);
});
