/**
 * The steps of `npm run check` and of the tiers of tests. Those that do not depend on one another run beside each other. What one prints
 * is shown together when it has ended, except that of the longest, which is shown as it comes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative } from 'node:path';

import { pinnedEnvironment, pinnedNode, root, say, whenNpmIsGone } from './bootstrap.mjs';

const reportsFolder = join(root, '.parley', 'reports');
/** Where vitest reports; a process runs it once at a time. */
const report = join(reportsFolder, `${process.pid}.json`);
const compiledFolder = join(root, '.parley', 'tools');

// An interrupted run has ended within five seconds.
const endWithinMs = 3_500;
const removeWithinMs = 1_500;

const environment = {
  ...pinnedEnvironment,
  ...(process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}),
};

/** The processes of the steps, each with a group of its own, out of reach of a terminal's Ctrl-C. */
const running = new Set();
/** Those of them that are asked to end, because they remove what they have made. */
const testRuns = new WeakSet();
let interruptedBy;

/**
 * Runs a program to its end.
 *
 * @param {string[]} words the program and its arguments
 * @param {{ isTestRun?: boolean, isLive?: boolean, variables?: Record<string, string> }} options `isLive` shows its output as it comes
 * @returns {Promise<{ code: number, output: string }>} what it printed
 */
function runProgram(
  [program, ...args],
  { isTestRun = false, isLive = false, variables = {} } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...environment, ...variables },
      detached: true,
      // By the channel a run of tests notices that this process is gone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    running.add(child);
    if (isTestRun) testRuns.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (isLive) process.stderr.write(text);
      });
    child.once('error', reject);
    child.once('exit', () => endGroup(child));
    child.once('close', (code, signal) => {
      running.delete(child);
      if (interruptedBy === undefined)
        resolve({ code: code ?? 128 + constants.signals[signal], output });
    });
  });
}

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Everything in it has ended.
  }
}

/** Removes what a run of tests left that had to be killed. */
function removeLeft() {
  spawnSync(pinnedNode, [join(root, 'packages', 'test-kit', 'src', 'leftovers-main.ts')], {
    cwd: root,
    env: environment,
    timeout: removeWithinMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 2, 2],
  });
}

/** Ends all steps, and everything that they have started. */
async function interrupt(signal) {
  if (interruptedBy !== undefined) return;
  interruptedBy = signal;
  const children = [...running];
  const ended = Promise.all(
    children.map((child) => new Promise((resolve) => child.once('close', resolve))),
  );
  for (const child of children) {
    if (testRuns.has(child)) child.kill('SIGTERM');
    else endGroup(child);
  }
  const timer = setTimeout(() => {
    for (const child of children) endGroup(child);
    removeLeft();
  }, endWithinMs);
  await ended;
  clearTimeout(timer);
  rmSync(report, { force: true });
  say('Interrupted; nothing of it is left.');
  process.exit(128 + constants.signals[signal]);
}

/** From now on a signal ends the steps, and so does the end of npm. */
export function endWhenInterrupted() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => void interrupt(signal));
  whenNpmIsGone(() => void interrupt('SIGTERM'));
}

const secondsSince = (startedAt) => ((Date.now() - startedAt) / 1_000).toFixed(1);

/**
 * Counts a program as one test, and shows what it prints if it fails.
 *
 * @param {string} mend the command that fixes its findings, if there is one
 */
async function runTool(title, words, mend) {
  const startedAt = Date.now();
  const { code, output } = await runProgram(words);
  const isOk = code === 0;
  if (!isOk) say(`--- ${title}\n${output}`);
  say(`${title}: ${isOk ? 'ok' : 'FAILED'} (${secondsSince(startedAt)} s)`);
  return {
    failures: isOk ? [] : [mend === undefined ? title : `${title} (fix it with ${mend})`],
    files: [],
    passed: isOk ? 1 : 0,
    failed: isOk ? 0 : 1,
  };
}

const tool = (name) => join(root, 'node_modules', '.bin', name);

/** Checks the types of a project; those of files that depend on no change since the last time are known. */
function checkTypes(title, project, buildInfo) {
  const info = join(compiledFolder, buildInfo);
  return runTool(title, [tool('tsc'), '-p', project, '--incremental', '--tsBuildInfoFile', info]);
}

/** Format, lint and types: what needs no test to run. */
export const staticSteps = [
  () => runTool('format', [tool('oxfmt'), '--check'], 'npx oxfmt'),
  () => runTool('lint', [tool('oxlint'), '--deny-warnings']),
  () => checkTypes('types', 'tsconfig.json', 'types.tsbuildinfo'),
  () =>
    checkTypes(
      'types of the web client',
      join('packages', 'web', 'tsconfig.json'),
      'web-types.tsbuildinfo',
    ),
];

function addUp(results) {
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    failures: results.flatMap(({ failures }) => failures),
  };
}

/** Adds up what passed and failed, and names what failed. */
export function nameFailures(results) {
  const sum = addUp(results);
  const files = results.flatMap((result) => result.files.map(({ name }) => name));
  const failures = [...sum.failures, ...files];
  if (failures.length > 0) say(`FAILED: ${failures.join(', ')}`);
  return sum;
}

/** Runs steps beside one another. */
export async function runSteps(steps) {
  return nameFailures(await Promise.all(steps.map((step) => step())));
}

/**
 * Runs vitest and counts from its report. A file that could not be loaded counts as one failure,
 * and so does a run that failed outside of a test (an unhandled error, no report, no test).
 *
 * @param {string} title the name of the run in lines of progress
 * @param {string[]} args arguments for `vitest run`
 * @param {{ isLive?: boolean, variables?: Record<string, string> }} options as of `runProgram`
 */
export async function runVitest(title, args, options = {}) {
  const startedAt = Date.now();
  mkdirSync(reportsFolder, { recursive: true });
  if (options.isLive) say(`--- ${title}`);
  const { code, output } = await runProgram(
    [
      pinnedNode,
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'packages', 'test-kit', 'src', 'unfinished-reporter.ts')}`,
      `--outputFile.json=${report}`,
      ...args,
    ],
    { isTestRun: true, ...options },
  );
  const counts = countResults(code);
  rmSync(report, { force: true });
  if (counts.failed > 0 && !options.isLive) say(`--- ${title}\n${output}`);
  say(
    `${title}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped (${secondsSince(startedAt)} s)`,
  );
  const isUnnamed = counts.failed > 0 && counts.files.length === 0;
  return { ...counts, failures: isUnnamed ? [title] : [] };
}

/** What passed, failed and was skipped, and of each file with a failure what failed first. */
function countResults(code) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    say('There is no test report: the run was aborted.');
    return { passed: 0, failed: 1, skipped: 0, files: [] };
  }
  const files = results.testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      return {
        name: relative(root, name),
        passed: assertionResults.filter((test) => test.status === 'passed').length,
        failed: Math.max(1, failed.length),
        first:
          failed.length === 0 ? message : `${failed[0].fullName}\n${failed[0].failureMessages[0]}`,
      };
    });
  const passed = results.numPassedTests;
  const failed = files.reduce((sum, file) => sum + file.failed, 0);
  return {
    passed,
    // A failure outside of a test.
    failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed,
    skipped: results.numTotalTests - passed - results.numFailedTests,
    files,
  };
}

/** The suites that run the system in containers; each counts as a file of the slow tests. */
export const containerSuites = ['whole-system', 'imports', 'upgrade'].map(
  (suite) => `tests/compose/${suite}.mjs`,
);

/**
 * Runs suites in containers, one after the other with the same image.
 *
 * @param {string[]} suites
 */
export async function runContainers(suites) {
  say(`--- ${suites.join(', ')}`);
  const runner = join(root, 'tests', 'compose', 'run-suites.mjs');
  const { code, output } = await runProgram([pinnedNode, runner, ...suites], {
    isTestRun: true,
    isLive: true,
  });
  let rest = output;
  const results = suites.map((suite) => {
    const end = new RegExp(`^${suite}: (\\d+) passed, (\\d+) failed$`, 'm').exec(rest);
    const own = rest.slice(0, end?.index);
    rest = rest.slice(own.length);
    const [passed, failed] = end === null ? [0, 1] : end.slice(1).map(Number);
    const [first = own] = /^FAILED [^]*/m.exec(own) ?? [];
    return {
      passed,
      failed,
      failures: [],
      files: failed === 0 ? [] : [{ name: suite, passed, failed, first }],
    };
  });
  // It failed outside of a suite.
  if (code !== 0 && results.every(({ failed }) => failed === 0))
    results.push({ passed: 0, failed: 1, failures: ['containers'], files: [] });
  return results;
}

const failureLinesMax = 8;

/**
 * Repeats what failed, one after the other with nothing beside it. What passes then is no failure, but is named, because its cause is to
 * be found and mended.
 *
 * @param {Awaited<ReturnType<typeof runVitest>>[]} results
 * @param {(name: string) => Promise<{ passed: number, failed: number }>} repeat runs a file again
 */
export async function repeatAlone(results, repeat) {
  const sum = addUp(results);
  const failures = [...sum.failures];
  const passedLater = [];
  for (const file of results.flatMap(({ files }) => files)) {
    const again = await repeat(file.name);
    sum.passed += again.passed - file.passed;
    sum.failed += again.failed - file.failed;
    if (again.failed > 0) failures.push(file.name);
    else passedLater.push(file);
  }
  for (const { name, first } of passedLater)
    say(
      `passed when repeated: ${name}\n  ${first.split('\n').slice(0, failureLinesMax).join('\n  ')}`,
    );
  if (failures.length > 0) say(`FAILED: ${failures.join(', ')}`);
  return sum;
}
