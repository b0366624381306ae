import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
};

/** A test by its file, its own title, and its name with the titles around it. */
export type TestName = { readonly file: string; readonly title: string; readonly name: string };

/** What one run of vitest found. */
export type TestRun = {
  readonly passed: readonly TestName[];
  readonly failed: readonly TestName[];
  /** How a run without failed tests went wrong: a file could not be loaded, a hook failed, or the time was over. */
  readonly fault: string | undefined;
};

export type TestSelection = {
  /** Paths in the folder. */
  readonly files: readonly string[];
  /** A pattern of the titles of the tests to run. */
  readonly title: string;
  /** Whether the run ends with the first failure. */
  readonly stopsAtFailure: boolean;
};

/** A copy of the repository, and the environment in which its tests find their stores. */
export type TestSetting = { readonly folder: string; readonly environment: NodeJS.ProcessEnv };

/** Tests beside the sources need no stores, except those that say so. */
function configOf(file: string): string {
  if (file.endsWith('.slow.test.ts')) return 'vitest.slow.config.ts';
  if (file.includes('/src/') && !file.endsWith('.integration.test.ts'))
    return 'vitest.unit.config.ts';
  return 'vitest.config.ts';
}

type Ended = { readonly output: string; readonly isOverdue: boolean };

/** Runs vitest, which ends with everything that it started when the time is over. */
async function runVitest(
  args: readonly string[],
  { folder, environment }: TestSetting,
  timeMaxMs: number,
): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [join(folder, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
    { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeMaxMs },
  );
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return { output: Buffer.concat(chunks).toString(), isOverdue: child.killed };
}

async function readReport(path: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Report;
  } catch {
    return undefined;
  } finally {
    await rm(path, { force: true });
  }
}

const shownLines = 15;

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-shownLines).join('\n');
}

/** Runs tests of a copy of the repository. */
export async function runTests(
  { files, title, stopsAtFailure }: TestSelection,
  setting: TestSetting,
  timeMaxMs: number,
): Promise<TestRun> {
  const { folder } = setting;
  const passed: TestName[] = [];
  const failed: TestName[] = [];
  const faults: string[] = [];
  for (const [config, ofConfig] of Map.groupBy(files, configOf)) {
    const path = join(folder, 'report.json');
    const { output, isOverdue } = await runVitest(
      [
        ...ofConfig,
        `--config=${config}`,
        '--maxWorkers=1',
        '--reporter=json',
        `--outputFile.json=${path}`,
        `--testNamePattern=${title}`,
        ...(stopsAtFailure ? ['--bail=1'] : []),
      ],
      setting,
      timeMaxMs,
    );
    const report = await readReport(path);
    for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
      const file = name.slice(folder.length + 1);
      const testsWith = (wanted: string): TestName[] =>
        assertionResults
          .filter((result) => result.status === wanted)
          .map((result) => ({ file, title: result.title, name: result.fullName }));
      const failedHere = testsWith('failed');
      passed.push(...testsWith('passed'));
      failed.push(...failedHere);
      if (status === 'failed' && failedHere.length === 0) faults.push(`${file}: ${message}`);
    }
    if (isOverdue) faults.push('the time was over');
    else if (report === undefined) faults.push(lastLines(output));
    if (failed.length > 0 && stopsAtFailure) break;
  }
  const fault = failed.length > 0 || faults.length === 0 ? undefined : faults.join('\n');
  return { passed, failed, fault };
}
