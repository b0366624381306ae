import { beginTestRun } from '@parley/launcher/local-stores';

/** Runs first in a run of tests: whatever ends the run, nothing of it is left. */
export function setup(): void {
  beginTestRun();
  // The script that started the run has a channel to it, which closes when the script is gone, even if it was killed.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
}
