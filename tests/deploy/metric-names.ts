/** The names of metrics as the sources declare them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';

/** @returns the metrics that packages and services declare, without those of Node itself */
export function listMetricNames(): string[] {
  const names = new Set<string>();
  for (const group of ['packages', 'services'])
    for (const name of readdirSync(join(repositoryFolder, group))) {
      const sources = join(repositoryFolder, group, name, 'src');
      for (const entry of readdirSync(sources, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
        const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
        for (const [, found] of text.matchAll(/'(parley_[a-z0-9_]+)'/g))
          if (found !== undefined) names.add(found);
      }
    }
  return [...names].toSorted();
}
