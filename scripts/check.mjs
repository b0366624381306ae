/** `npm run check`: format, lint, types and the unit tests, which need no store. */
import { prepare, runCommand } from './bootstrap.mjs';
import { runSteps, runVitest, staticSteps } from './steps.mjs';

await runCommand(async () => {
  await prepare();
  const counts = await runSteps([
    ...staticSteps,
    () => runVitest('unit tests', ['--config', 'vitest.unit.config.ts']),
  ]);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0 ? 0 : 1;
});
