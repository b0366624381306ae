import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { makeTemporaryFolder } from '@parley/launcher/local-stores';

import { applyReplacement, copySources } from '../support/altered-sources.ts';
import { foundPrefix, trafficBegins } from './chaos-run.ts';
import { sabotages } from './sabotages.ts';
import type { Sabotage } from './sabotages.ts';

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
    await copySources(folder);
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
    await rm(folder, { recursive: true, force: true });
  }
}
