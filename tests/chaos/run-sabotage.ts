import { spawn } from 'node:child_process';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { makeTemporaryFolder } from '@parley/local-stores';
import { repositoryFolder } from '@parley/test-kit';

import { foundPrefix, trafficBegins } from './chaos-run.ts';
import { applyReplacement, sabotages } from './sabotages.ts';
import type { Sabotage } from './sabotages.ts';

/** The sources of the system and the harness. */
const copied = ['packages', 'services', 'tests', 'docs', 'package.json'] as const;

/** Findings that prove a broken rule of the log. A refusal, an unexpected answer or a failed process may have other causes. */
const brokenRule = new RegExp(`^${foundPrefix}(lost|repeated|disordered|leaked|history)\\b`);

/**
 * Breaks the rules, one after the other, in copies of the sources, and runs each copy under faults.
 *
 * @param options.name of a sabotage, or `all`
 * @returns 0 when each was found, else 1
 * @throws Error for an unknown name
 */
export async function breakRules(
  options: { readonly name: string; readonly seed: number; readonly minutes: number },
  say: (line: string) => void,
): Promise<number> {
  const { name, seed, minutes } = options;
  const chosen = Object.entries(sabotages).filter(([each]) => name === 'all' || each === name);
  if (chosen.length === 0) throw new Error(`no sabotage is named ${name}`);
  const verdicts: string[] = [];
  let missed = 0;
  for (const [each, sabotage] of chosen) {
    say(`--- ${each}: ${sabotage.what}`);
    const found = await runBroken(sabotage, { seed, minutes }, say);
    if (found === undefined) missed += 1;
    verdicts.push(
      found === undefined
        ? `${each}: NOT FOUND`
        : `${each}: found ${found.afterSecs.toFixed(1)} s after the traffic began (${found.finding})`,
    );
  }
  say(`seed ${seed}, ${minutes} minutes:\n${verdicts.join('\n')}`);
  return missed === 0 ? 0 : 1;
}

const removalsMax = 20;

type Found = { readonly finding: string; readonly afterSecs: number };

/**
 * Runs until a finding occurs that only the broken rule explains. A run that could not be executed, or whose processes failed,
 * found nothing.
 */
async function runBroken(
  sabotage: Sabotage,
  options: { readonly seed: number; readonly minutes: number },
  say: (line: string) => void,
): Promise<Found | undefined> {
  const folder = await makeTemporaryFolder();
  try {
    for (const part of copied)
      await cp(join(repositoryFolder, part), join(folder, part), {
        recursive: true,
        verbatimSymlinks: true,
      });
    await symlink(join(repositoryFolder, 'node_modules'), join(folder, 'node_modules'));
    for (const replacement of sabotage.replacements) {
      const file = join(folder, replacement.file);
      await writeFile(file, applyReplacement(await readFile(file, 'utf8'), replacement));
    }
    const child = spawn(
      process.execPath,
      [
        'tests/chaos/run-chaos.ts',
        '--seed',
        String(options.seed),
        '--minutes',
        String(options.minutes),
      ],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
        // An aborted run leaves the folders of its stores, which are removed with this folder.
        env: { ...process.env, TMPDIR: folder },
      },
    );
    let beganAtMs = performance.now();
    let found: Found | undefined;
    createInterface({ input: child.stdout }).on('line', (line) => {
      say(`  ${line}`);
      if (line.endsWith(trafficBegins)) beganAtMs = performance.now();
      if (found !== undefined || !brokenRule.test(line)) return;
      found = {
        finding: line.slice(foundPrefix.length),
        afterSecs: (performance.now() - beganAtMs) / 1_000,
      };
      child.kill('SIGTERM');
    });
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve());
    });
    return found;
  } finally {
    // The stores of an aborted run may still be stopping.
    await rm(folder, { recursive: true, force: true, maxRetries: removalsMax });
  }
}
