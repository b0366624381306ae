/**
 * `npm test`: installs what is missing, then format, lint, types and all tests but the slow
 * suites. With `--slow` it runs only the slow suites. The last line is `N passed, N failed`: the
 * tests, and each other step counted as one.
 *
 * `--begin-within SECS`, with `--slow`: files that would begin later are skipped, and named.
 *
 * `--seed N` goes to the tests with random histories (read state, state and events; of the slow
 * ones hostile input and privacy), which print their seed: a run that failed is repeated with it.
 * `--runs N` is how many histories of read state are tried.
 */
import { parseArgs } from 'node:util';

import { prepare, runCommand, say } from './bootstrap.mjs';
import { runSteps, runVitest, staticSteps } from './steps.mjs';
import { buildWebClient } from './web-client.mjs';

await runCommand(async () => {
  const startedAt = Date.now();
  const { values } = parseArgs({
    options: {
      slow: { type: 'boolean' },
      'begin-within': { type: 'string' },
      seed: { type: 'string' },
      runs: { type: 'string' },
    },
  });
  const variables = {
    ...(values['begin-within'] === undefined
      ? {}
      : {
          PARLEY_TESTS_BEGIN_UNTIL_MS: String(startedAt + Number(values['begin-within']) * 1000),
        }),
    ...(values.seed === undefined ? {} : { PARLEY_PROPERTY_SEED: values.seed }),
    ...(values.runs === undefined ? {} : { PARLEY_PROPERTY_RUNS: values.runs }),
  };
  await prepare();
  await buildWebClient();
  const counts = values.slow
    ? await runVitest('slow tests', ['--config', 'vitest.slow.config.ts'], variables)
    : await runSteps([...staticSteps, () => runVitest('tests', [], variables)]);
  say(`Took ${Math.round((Date.now() - startedAt) / 1000)} s.`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0 ? 0 : 1;
});
