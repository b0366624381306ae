/**
 * The tiers of tests. The last line is `N passed, N failed`: the tests, and each other step counted as one.
 *
 * - `npm test`: the steps of `npm run check`, and everything that runs in one process against real stores.
 * - `npm run test:slow`: processes that are killed, browsers, clients of others, and the containers.
 * - `npm run test:release`: what takes hours.
 *
 * `-- FILE ...` runs the test files of the tier whose paths contain one of these texts, and nothing else. `--seed N` goes to the tests
 * with random histories, which print their seed: a run that failed is repeated with it. `--runs N` is how many histories are tried.
 */
import { parseArgs } from 'node:util';

import { SetupFault, prepare, runCommand, say } from './bootstrap.mjs';
import { buildAll } from './builds.mjs';
import {
  containerSuites,
  endWhenInterrupted,
  nameFailures,
  repeatAlone,
  runContainers,
  runSteps,
  runVitest,
  staticSteps,
} from './steps.mjs';

/** So many new seeds each random test tries before a release. */
const newSeeds = '3';

/** @param {{ files: string[], variables: Record<string, string> }} chosen */
function runEveryday({ files, variables }) {
  const runTests = () => runVitest('tests', files, { isLive: true, variables });
  return runSteps(files.length === 0 ? [runTests, ...staticSteps] : [runTests]);
}

/** Containers come last, when nothing else runs. */
async function runSlow({ files, variables }) {
  const runTests = (title, paths) =>
    runVitest(title, ['--config', 'vitest.slow.config.ts', ...paths], {
      isLive: true,
      // These tests kill stores and start them again with their data, which a container in memory loses.
      variables: { PARLEY_TEST_STORES: 'embedded', ...variables },
    });
  const areOf = (suite) => files.length === 0 || files.some((file) => suite.includes(file));
  const suites = containerSuites.filter(areOf);
  const paths = files.filter((file) => !containerSuites.some((suite) => suite.includes(file)));
  const results = [];
  if (paths.length === files.length) results.push(await runTests('slow tests', paths));
  if (suites.length > 0) results.push(...(await runContainers(suites)));
  return repeatAlone(results, async (name) => {
    if (!containerSuites.includes(name)) return runTests(`${name}, alone`, [`./${name}`]);
    const [again] = await runContainers([name]);
    return again;
  });
}

/** The random tests of other tiers, by their configurations, which before a release try new seeds. */
const randomTests = [
  [
    'vitest.slow.config.ts',
    'tests/hostile/hostile-input',
    'tests/history-import/privacy',
    'tests/privacy/',
  ],
  ['vitest.config.ts', '.property.test.ts'],
];

/** One after the other: what measures is alone on the machine. */
async function runRelease({ files, variables }) {
  const runTests = (title, [config, ...paths]) =>
    runVitest(title, ['--config', config, ...paths], {
      isLive: true,
      variables: { PARLEY_PROPERTY_NEW_SEEDS: newSeeds, ...variables },
    });
  if (files.length === 0) say('This takes about three hours on two cores with nothing beside it.');
  const results = [await runTests('release tests', ['vitest.release.config.ts', ...files])];
  if (files.length === 0)
    for (const words of randomTests) results.push(await runTests('random tests', words));
  return nameFailures(results);
}

const tiers = new Map([
  ['everyday', runEveryday],
  ['slow', runSlow],
  ['release', runRelease],
]);

await runCommand(async () => {
  const startedAt = Date.now();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tier: { type: 'string', default: 'everyday' },
      seed: { type: 'string' },
      runs: { type: 'string' },
    },
  });
  const runTier = tiers.get(values.tier);
  if (runTier === undefined) throw new SetupFault(`Tiers: ${[...tiers.keys()].join(', ')}`);
  await prepare();
  await buildAll();
  endWhenInterrupted();
  const counts = await runTier({
    files: positionals,
    variables: {
      ...(values.seed === undefined ? {} : { PARLEY_PROPERTY_SEED: values.seed }),
      ...(values.runs === undefined ? {} : { PARLEY_PROPERTY_RUNS: values.runs }),
    },
  });
  say(`Took ${Math.round((Date.now() - startedAt) / 1_000)} s.`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0 ? 0 : 1;
});
