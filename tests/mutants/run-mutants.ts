/**
 * `npm run mutants`: makes each change of the list alone, in a copy of the sources, and runs the tests that are said to notice it. A change
 * that no test notices is a promise that nobody holds.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { beginTestRun, makeTemporaryFolder } from '@parley/launcher/local-stores';
import { startTestPostgres, startTestRedis } from '@parley/test-kit';

import { applyReplacement, copySources } from '../support/altered-sources.ts';
import { mutants } from './mutants.ts';
import type { Mutant } from './mutants.ts';
import { runTests } from './vitest-run.ts';
import type { TestName, TestRun, TestSetting } from './vitest-run.ts';

const usage = `npm run mutants -- [options]
  --only PATTERN   only what matches this regular expression by its name, its file or its file of tests
  --list           names the changes and what notices them, and runs nothing
`;

/** All named tests without a change, which take longer than those of one change. */
const unchangedMaxMs = 3_600_000;
const mutantMaxMs = 300_000;

type Verdict = 'caught' | 'SURVIVED' | 'NOT JUDGED';

type Judged = {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The test that noticed it, or why it could not be judged. */
  readonly by: string;
  readonly secs: number;
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function describe({ file, name }: TestName): string {
  return `${file} > ${name}`;
}

/**
 * @returns whether every named test exists, and all of them pass where nothing is changed: otherwise a failure would not show that a change
 *   was noticed
 */
async function passUnchanged(chosen: readonly Mutant[], setting: TestSetting): Promise<boolean> {
  const files = [...new Set(chosen.map(({ caughtBy }) => caughtBy))].toSorted();
  say(`${files.length} files without a change`);
  const title = [...new Set(chosen.map((mutant) => `(?:${mutant.title})`))].join('|');
  const run = await runTests({ files, title, stopsAtFailure: false }, setting, unchangedMaxMs);
  for (const test of run.failed) say(`  failed: ${describe(test)}`);
  if (run.fault !== undefined) say(`  ${run.fault}`);
  const unnamed = chosen.filter(
    (mutant) =>
      !run.passed.some(
        (test) => mutant.caughtBy === test.file && new RegExp(mutant.title).test(test.title),
      ),
  );
  for (const { name, title: missing } of unnamed)
    say(`  no test passed that is named ${missing}: ${name}`);
  return run.failed.length === 0 && run.fault === undefined && unnamed.length === 0;
}

function verdictOf({ failed: [first], fault }: TestRun): Pick<Judged, 'verdict' | 'by'> {
  if (first !== undefined) return { verdict: 'caught', by: describe(first) };
  return fault === undefined
    ? { verdict: 'SURVIVED', by: '' }
    : { verdict: 'NOT JUDGED', by: fault };
}

async function judge(mutant: Mutant, setting: TestSetting): Promise<Judged> {
  const path = join(setting.folder, mutant.file);
  const original = await readFile(path, 'utf8');
  await writeFile(path, applyReplacement(original, mutant));
  const beganAtMs = performance.now();
  try {
    const { caughtBy, title } = mutant;
    const tests = { files: [caughtBy], title, stopsAtFailure: true };
    const run = await runTests(tests, setting, mutantMaxMs);
    const secs = Math.round((performance.now() - beganAtMs) / 1_000);
    return { mutant, secs, ...verdictOf(run) };
  } finally {
    await writeFile(path, original);
  }
}

/** Copies the sources, and starts the stores of all runs. The end of this process removes both. */
async function prepare(): Promise<TestSetting> {
  beginTestRun();
  const folder = await makeTemporaryFolder();
  await copySources(folder);
  const [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
  const environment = {
    ...process.env,
    PARLEY_TEST_DATABASE_URL: postgres.url,
    PARLEY_TEST_REDIS_URL: redis.url,
    NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
  };
  return { folder, environment };
}

function describeJudged({ mutant, verdict, by, secs }: Judged): string {
  return `${verdict} in ${secs} s: ${mutant.name} (${mutant.file})${by === '' ? '' : `\n  ${by}`}`;
}

async function runMutants(chosen: readonly Mutant[]): Promise<number> {
  const beganAtMs = performance.now();
  const setting = await prepare();
  if (!(await passUnchanged(chosen, setting))) return 1;
  const missed: Judged[] = [];
  for (const [index, mutant] of chosen.entries()) {
    const judged = await judge(mutant, setting);
    if (judged.verdict !== 'caught') missed.push(judged);
    say(`${index + 1} of ${chosen.length}, ${describeJudged(judged)}`);
  }
  if (missed.length > 0) say(['', ...missed.map(describeJudged)].join('\n'));
  const minutes = ((performance.now() - beganAtMs) / 60_000).toFixed(1);
  say(`${chosen.length - missed.length} of ${chosen.length} changes caught, in ${minutes} minutes`);
  return missed.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const only = new RegExp(values.only, 'i');
  const chosen = mutants.filter(({ name, file, caughtBy }) =>
    [name, file, caughtBy].some((text) => only.test(text)),
  );
  if (chosen.length === 0) throw new Error(`nothing in the list matches ${values.only}`);
  if (values.list) {
    for (const { name, file, caughtBy, title } of chosen)
      say(`${name} (${file})\n  ${caughtBy} > ${title}`);
    return 0;
  }
  return runMutants(chosen);
}

process.exit(await main());
