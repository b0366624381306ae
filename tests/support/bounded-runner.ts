import { TestRunner } from 'vitest';
import type { RunnerTestSuite } from 'vitest';

const beginUntilMs = Number(process.env['PARLEY_TESTS_BEGIN_UNTIL_MS'] ?? Number.POSITIVE_INFINITY);

/** Skips files that come after `PARLEY_TESTS_BEGIN_UNTIL_MS` (milliseconds since 1970). Those that have begun come to their end. */
export default class BoundedRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if ('filepath' in suite && Date.now() > beginUntilMs) suite.mode = 'skip';
    await super.onBeforeRunSuite(suite);
  }
}
