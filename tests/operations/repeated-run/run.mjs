// The slow tests as `npm run test:slow` makes them, with these files in place of its own.

import { runCommand } from '../../../scripts/bootstrap.mjs';
import { repeatAlone, runVitest } from '../../../scripts/steps.mjs';

await runCommand(async () => {
  const config = ['--config', 'tests/operations/repeated-run/vitest.config.ts'];
  const results = [await runVitest('all', config)];
  const { passed, failed } = await repeatAlone(results, (name) =>
    runVitest(`${name}, alone`, [...config, `./${name}`]),
  );
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
});
