/**
 * `npm test`: installs what is missing, then format, lint, types and all tests but the slow
 * suites. With `--slow` it runs only the slow suites. The last line is `N passed, N failed`: the
 * tests, and each other step counted as one.
 */
import { prepare, runCommand, say } from './bootstrap.mjs';
import { runSteps, runVitest, staticSteps } from './steps.mjs';

await runCommand(async () => {
  const startedAt = Date.now();
  await prepare();
  const counts = process.argv.includes('--slow')
    ? await runVitest('slow tests', ['--config', 'vitest.slow.config.ts'])
    : await runSteps([...staticSteps, () => runVitest('tests', [])]);
  say(`Took ${Math.round((Date.now() - startedAt) / 1000)} s.`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0 ? 0 : 1;
});
