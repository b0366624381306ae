/** The steps of `npm test` and `npm run check`; each returns how many of its tests passed and failed. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

import { pinnedEnvironment, pinnedNode, root, run, say } from './bootstrap.mjs';

const toolOptions = { env: pinnedEnvironment };

/** Runs one tool as a step that counts as one test. `mend` is the command that fixes its findings, if there is one. */
async function runTool(name, command, args, mend) {
  const startedAt = Date.now();
  say(`--- ${name}`);
  const code = await run(join(root, 'node_modules', '.bin', command), args, toolOptions);
  say(
    `${name}: ${code === 0 ? 'ok' : 'FAILED'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`,
  );
  const title = mend === undefined ? name : `${name} (fix it with ${mend})`;
  return { title, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** Format, lint and types: what needs no test to run. */
export const staticSteps = [
  () => runTool('format', 'oxfmt', ['--check'], 'npx oxfmt'),
  () => runTool('lint', 'oxlint', ['--deny-warnings']),
  () => runTool('types', 'tsc', ['-p', 'tsconfig.json']),
  () => runTool('types of the web client', 'tsc', ['-p', 'packages/web/tsconfig.json']),
];

/** Runs all steps in order, even if one fails, and adds up their counts. At the end it lists the failed steps. */
export async function runSteps(steps) {
  const sum = { passed: 0, failed: 0 };
  const failed = [];
  for (const step of steps) {
    const counts = await step();
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    if (counts.failed > 0) failed.push(counts.title);
  }
  if (failed.length > 0) say(`FAILED: ${failed.join(', ')}`);
  return sum;
}

/**
 * Runs vitest and counts from its report. A file that could not be loaded counts as one failure,
 * and so does a run that failed outside of a test (an unhandled error, no report, no test).
 *
 * @param {string} name the name of the run in progress lines
 * @param {string[]} args arguments for `vitest run`
 * @param {Record<string, string>} environment variables for the tests
 */
export async function runVitest(name, args, environment = {}) {
  const startedAt = Date.now();
  say(`--- ${name}`);
  const reports = join(root, '.parley', 'reports');
  const report = join(reports, `${name.replaceAll(' ', '-')}-${process.pid}.json`);
  mkdirSync(reports, { recursive: true });
  const code = await run(
    pinnedNode,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ],
    {
      env: {
        ...pinnedEnvironment,
        // For the workers and the threads that they start: the folder of services.
        NODE_COMPILE_CACHE: join(root, '.parley', 'tools', 'compile-cache'),
        ...environment,
      },
    },
  );
  const { notRun, ...counts } = countResults(report, code);
  rmSync(report, { force: true });
  say(
    `${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped ` +
      `(${((Date.now() - startedAt) / 1000).toFixed(1)} s)`,
  );
  if (notRun.length > 0) say(`${name}: no test was run of ${notRun.join(', ')}`);
  return { title: name, ...counts };
}

function countResults(report, code) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    say('There is no test report: the run was aborted.');
    return { passed: 0, failed: 1, skipped: 0, notRun: [] };
  }
  const passed = results.numPassedTests;
  const skipped = results.numTotalTests - passed - results.numFailedTests;
  const unloaded = results.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  let failed = results.numFailedTests + unloaded;
  if (failed === 0 && (code !== 0 || passed === 0)) failed = 1;
  const notRun = results.testResults
    .filter(
      (file) =>
        file.status !== 'failed' &&
        !file.assertionResults.some((test) => ['passed', 'failed'].includes(test.status)),
    )
    .map((file) => relative(root, file.name));
  return { passed, failed, skipped, notRun };
}
