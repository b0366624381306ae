import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { repositoryFolder } from '@parley/test-kit';

import { applyReplacement, sabotages } from './sabotages.ts';
import type { Sabotage } from './sabotages.ts';

/** What a system and the harness are made of. */
const copied = ['packages', 'services', 'tests', 'package.json'] as const;

/**
 * Breaks rules, one after the other, in copies of the sources, and runs each copy under faults.
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
    if (!found) missed += 1;
    verdicts.push(`${each}: ${found ? 'found' : 'NOT FOUND'}`);
  }
  say(`seed ${seed}, ${minutes} minutes: ${verdicts.join(', ')}`);
  return missed === 0 ? 0 : 1;
}

/** @returns whether the harness found something; a run that could not be carried out found nothing */
async function runBroken(
  sabotage: Sabotage,
  options: { readonly seed: number; readonly minutes: number },
  say: (line: string) => void,
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sabotage-'));
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
    const lines: string[] = [];
    const child = spawn(
      process.execPath,
      [
        'tests/chaos/run-chaos.ts',
        '--seed',
        String(options.seed),
        '--minutes',
        String(options.minutes),
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      say(`  ${line}`);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return code === 1 && lines.some((line) => line.endsWith('NOT ALL HELD')) && hasFindings(lines);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run that merely proves nothing, or in which processes failed, has not found the broken rule. */
function hasFindings(lines: readonly string[]): boolean {
  const last = lines.findLast((line) => line.endsWith('NOT ALL HELD')) ?? '';
  return /, (lost|repeated|disordered|leaked|history) [1-9]/.test(last);
}
