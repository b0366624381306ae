import { spawnSync } from 'node:child_process';

import { findTestRun } from '@parley/launcher/local-stores';

const label = 'parley.test-run';

/** The labels of a store's container: the run that it belongs to. */
export function storeLabels(): Record<string, string> {
  return { [label]: findTestRun() ?? '' };
}

/**
 * Removes stores that run in containers, at once and without waiting for anything else in this process.
 *
 * @param isOf whether a run is meant
 */
export function removeStoreContainers(isOf: (run: string) => boolean): void {
  const words = ['ps', '--all', '--format', `{{.ID}} {{.Label "${label}"}}`];
  const { stdout } = spawnSync('docker', words, { encoding: 'utf8' });
  const ids = (stdout ?? '').split('\n').flatMap((line) => {
    const [id = '', run = ''] = line.split(' ');
    return run !== '' && isOf(run) ? [id] : [];
  });
  if (ids.length > 0)
    spawnSync('docker', ['rm', '--force', '--volumes', ...ids], { stdio: 'ignore' });
}
