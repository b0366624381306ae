/** `npm run check`: format, lint, types and the tests that need no store, beside one another. */
import { prepare, runCommand } from './bootstrap.mjs';
import { endWhenInterrupted, runSteps, runVitest, staticSteps } from './steps.mjs';

await runCommand(async () => {
  await prepare();
  endWhenInterrupted();
  const counts = await runSteps([
    () => runVitest('unit tests', ['--config', 'vitest.unit.config.ts']),
    ...staticSteps,
  ]);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0 ? 0 : 1;
});
