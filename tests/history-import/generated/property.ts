/** Generated organizations, exported in each format and imported, have everything that the format can carry. */
import { join } from 'node:path';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { seedsOf } from '../../support/seeds.ts';
import { ImportTarget } from '../imported-organization.ts';
import { writers } from './carried.ts';
import { compare, findImported } from './compare.ts';
import { organizations } from './organization.ts';
import type { ModelOrganization } from './organization.ts';
import type { SourceName } from './rules.ts';

/** Exports, imports and compares an organization. */
export async function checkImport(
  source: SourceName,
  organization: ModelOrganization,
): Promise<void> {
  await using target = await ImportTarget.create();
  const archive = join(target.folder, source === 'zulip' ? 'birch.tar.gz' : 'birch.zip');
  await writers[source](archive, organization);
  const ended = await target.importFrom(source, archive, 'P0@birch.example', ['--strict']);
  expect(ended.error).toBe('');
  const imported = await findImported(target, source, organization);
  await compare(imported, await target.start());
}

/**
 * Defines the property as a test of the calling file. A failure prints its seed, its path and the smallest organization found in time.
 *
 * @param runs organizations for each format and seed; `PARLEY_PROPERTY_RUNS` overrides it
 * @param timeLimitMs for the runs and the search for a smaller fault
 */
export function testImports(runs: number, timeLimitMs: number): void {
  const numRuns = Number(process.env['PARLEY_PROPERTY_RUNS'] ?? runs);
  test.each(
    seedsOf('history import').flatMap((seed) =>
      (['zulip', 'slack', 'mattermost'] as const).map((source) => ({ source, seed })),
    ),
  )(
    `everything that the format carries is there, from $source (seed $seed, ${numRuns} organizations)`,
    async ({ source, seed }) => {
      const end = performance.now() + timeLimitMs;
      let hasFailed = false;
      const property = fc.asyncProperty(organizations, async (organization) => {
        // Looks for no smaller fault any longer, so that what was found is printed.
        if (hasFailed && performance.now() > end) return;
        try {
          await checkImport(source, organization);
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      });
      await fc.assert(property, { numRuns, seed });
    },
    timeLimitMs + 120_000,
  );
}
