/** The names of metrics as the sources declare them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';

/** @returns the metrics that packages and services declare, without those of Node itself */
export function listMetricNames(): string[] {
  const sources = globSync('{packages,services}/*/src/**/*.ts', { cwd: repositoryFolder });
  const names = sources.flatMap((path) =>
    [...readFileSync(join(repositoryFolder, path), 'utf8').matchAll(/'(parley_[a-z0-9_]+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  return [...new Set(names)].toSorted();
}
