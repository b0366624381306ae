import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { readStoreSettings } from './durable-stores.ts';
import type { LoadOptions } from './load-options.ts';
import { readAmount, readCount } from './load-options.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import { findWarnings } from './results.ts';
import type { CaseResult, ScenarioResult } from './results.ts';
import { Rig, describeMeasured, findParts } from './rig.ts';
import type { Case, Group, MeasuredScenario, Shot } from './scenario.ts';
import { describeLatencies, roundFigure, summarizeSamples } from './summary.ts';
import type { Sample } from './summary.ts';

export const repeatsBound = 20;
export const secsBound = 3_600;
const bytesPerGib = 1_073_741_824;
const linesOfFault = 20;

/** @returns all figures of a run */
function sampleOf({ figures, latencies, measured, operations, operation }: Shot): Sample {
  const named = Object.entries(latencies).flatMap(([name, each]) =>
    Object.entries(describeLatencies(name, each)),
  );
  const all = {
    ...figures,
    ...Object.fromEntries(named),
    ...describeMeasured(measured, operations, operation),
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, roundFigure(value)]));
}

/**
 * Runs all cases of a scenario in turn, as often as requested, so that changes on the machine affect all of them alike.
 *
 * @throws Error if anything is not as it must be
 */
export async function runMeasured(
  scenario: MeasuredScenario,
  system: LoadSystem,
  options: LoadOptions,
  say: (text: string) => void,
): Promise<ScenarioResult> {
  const repeats = readCount(options.repeats, 'repeats', repeatsBound);
  const secs = readAmount(options.seconds ?? String(scenario.secs), 'seconds', secsBound);
  const warmUpSecs = readAmount(options['warm-up'], 'warm-up', secsBound);
  const cases: CaseResult[] = [];
  const groups = scenario.groups(system, options);
  // Preparing the cases of a group can take minutes, so groups without requested cases are not opened.
  const named = groups.filter(
    ({ name }) => options.only !== undefined && name.includes(options.only),
  );
  for (const group of named.length > 0 ? named : groups) {
    const rig = new Rig({
      parts: findParts(system),
      pool: system.organization.maker.pool,
      secs,
      warmUpSecs,
      say,
    });
    try {
      cases.push(...(await runGroup(group, rig, { repeats, options, say })));
    } finally {
      await rig.dispose();
    }
  }
  if (cases.length === 0) throw new Error(`no case of ${scenario.name} has ${options.only}`);
  await checkLogs(system);
  return {
    scenario: scenario.name,
    command: describeCommand(scenario.name, process.argv.slice(2)),
    commit: await findCommit(),
    taken_at: new Date().toISOString(),
    machine: {
      cores: availableParallelism(),
      processor: cpus()[0]?.model ?? 'unknown',
      memory_gib: Math.round(totalmem() / bytesPerGib),
      node: process.version,
      postgres: await readStoreSettings(system.stores.postgres.url),
    },
    repeats,
    seconds: secs,
    warnings: findWarnings(cases),
    cases,
  };
}

async function runGroup(
  group: Group,
  rig: Rig,
  run: {
    readonly repeats: number;
    readonly options: LoadOptions;
    readonly say: (text: string) => void;
  },
): Promise<CaseResult[]> {
  const { only, controls } = run.options;
  const isWanted = ({ name, isControl = false }: Case): boolean =>
    isControl ? controls : only === undefined || `${group.name}, ${name}`.includes(only);
  const opened = (await group.open(rig)).filter(isWanted);
  // No case of the system was requested in this group, so there is nothing to compare with.
  if (opened.every(({ isControl = false }) => isControl)) return [];
  const taken = opened.map((each) => ({ each, operation: '', samples: [] as Sample[] }));
  for (let repeat = 0; repeat < run.repeats; repeat += 1) {
    for (const [index, result] of taken.entries()) {
      rig.isFirst = repeat === 0 && index === 0;
      const shot = await result.each.run();
      const sample = sampleOf(shot);
      result.operation = shot.operation;
      result.samples.push(sample);
      run.say(`${group.name}, ${result.each.name}: ${describeBriefly(sample)}`);
    }
  }
  return taken.map(({ each: { name, isControl = false }, operation, samples }) => ({
    group: group.name,
    name,
    isControl,
    operation,
    samples,
    summary: summarizeSamples(samples),
  }));
}

/** The main figures, for a line during the run. */
function describeBriefly(sample: Sample): string {
  return Object.entries(sample)
    .filter(([name]) => /_per_s$|_p50_ms$|_p99_ms$|^cpu_us_per|^generators_|^others_/.test(name))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** @throws Error when a process of the system logged an error */
export async function checkLogs(system: LoadSystem): Promise<void> {
  const faults = (await readLogs(system)).filter(({ line }) =>
    /"level":"(error|fatal)"/.test(line),
  );
  const [first] = faults;
  if (first !== undefined)
    throw new Error(
      `${faults.length} errors were logged, first of ${first.service}:\n${first.line}`,
    );
}

/** @returns the warnings of the system's processes with their counts, to help find the cause of a fault */
export async function describeLogs(system: LoadSystem): Promise<string> {
  const counts = new Map<string, number>();
  for (const { service, line } of await readLogs(system)) {
    if (!/"level":"(warn|error|fatal)"/.test(line)) continue;
    const { msg, err } = JSON.parse(line) as {
      readonly msg?: string;
      readonly err?: { readonly message?: string };
    };
    const words = `${service}: ${[msg, err?.message].filter(Boolean).join(': ')}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts]
    .slice(0, linesOfFault)
    .map(([words, count]) => `${words} (${count} times)`)
    .join('\n');
}

async function readLogs(
  system: LoadSystem,
): Promise<readonly { readonly service: string; readonly line: string }[]> {
  const processes = system.cluster.processes;
  const texts = await Promise.all(
    processes.map(async ({ service, logFile }) => {
      const text = logFile === undefined ? '' : await readFile(logFile, 'utf8');
      return text.split('\n').map((line) => ({ service, line }));
    }),
  );
  return texts.flat();
}

/** The command without options that name files of a machine. */
export function describeCommand(scenario: string, args: readonly string[]): string {
  const kept: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === scenario) continue;
    if (/^--(report|compare|profile)$/.test(arg)) index += 1;
    else if (!/^--(report|compare|profile)=/.test(arg)) kept.push(arg);
  }
  return ['npm run load --', scenario, ...kept].join(' ');
}

async function findCommit(): Promise<string> {
  const git = promisify(execFile);
  const cwd = import.meta.dirname;
  try {
    const commit = await git('git', ['rev-parse', '--short=12', 'HEAD'], { cwd });
    const changes = await git('git', ['status', '--porcelain', '--untracked-files=no'], { cwd });
    return `${commit.stdout.trim()}${changes.stdout.trim() === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
}

const processesMax = 8;
const processCounts = {
  together: 'together',
  gateway: 'gateways',
  messages: 'messages',
  subscriptions: 'subscriptions',
  people: 'people',
  presence: 'presence',
  events: 'events',
} as const;

/** @returns the processes of the system for a scenario: one of each service unless others are requested */
export function findOwnSystem(scenario: MeasuredScenario, options: LoadOptions): OwnSystemOptions {
  const requested = options.processes.split(',').filter(Boolean);
  const counts = requested.map((text) => {
    const [service = '', count = ''] = text.split('=');
    if (!Object.hasOwn(processCounts, service)) throw new Error(`--processes: no ${service}`);
    const name = processCounts[service as keyof typeof processCounts];
    return [name, readCount(count, `processes ${service}`, processesMax)] as const;
  });
  const own = scenario.ownSystem?.(options) ?? {};
  return {
    events: counts.some(([name]) => name === 'together') ? 0 : 1,
    logsToFiles: true,
    ...own,
    ...Object.fromEntries(counts),
    ...(options.profile === undefined
      ? {}
      : { serviceEnvironment: profileInto(resolve(options.profile), own.environment) }),
  };
}

/** @returns for each service the settings that make its processes write their profiles to a folder of its name */
function profileInto(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): NonNullable<OwnSystemOptions['serviceEnvironment']> {
  const others = environment['NODE_OPTIONS']?.concat(' ') ?? '';
  return Object.fromEntries(
    Object.keys(processCounts).map((service) => [
      service,
      { NODE_OPTIONS: `${others}--cpu-prof --cpu-prof-dir=${join(folder, service)}` },
    ]),
  );
}
