// A run of tests as `npm test` makes it, with the one test that does not end by itself.

import { runCommand } from '../../../scripts/bootstrap.mjs';
import { endWhenInterrupted, runSteps, runVitest } from '../../../scripts/steps.mjs';

await runCommand(async () => {
  endWhenInterrupted();
  const config = ['--config', 'tests/operations/held-run/vitest.config.ts'];
  const { failed } = await runSteps([() => runVitest('held', config, { isLive: true })]);
  return failed === 0 ? 0 : 1;
});
