/**
 * `npm run audit`: asks the registry for known vulnerabilities of installed packages. A registry without this service is no
 * failure; one that cannot be reached is. Vulnerabilities that do not apply are listed, with the reason, in `auditConfig`
 * of pnpm-workspace.yaml.
 *
 * The last line says `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';

import { pnpmEntry, prepare, root, runCommand, say } from './bootstrap.mjs';

const timeoutMs = 120_000;

/** Answers of a registry without this service: not found, no such method, not implemented. */
const notOffered = /responded with (?:404|405|501)\b/;

await runCommand(async () => {
  await prepare();
  const audit = spawnSync(pnpmEntry, ['audit', '--audit-level', 'low'], {
    cwd: root,
    encoding: 'utf8',
    timeout: timeoutMs,
  });
  const output = `${audit.stdout}${audit.stderr}`;
  const isOffered = !notOffered.test(output);
  if (isOffered) say(output);
  else say('The registry offers no audit: nothing was checked.');
  const passed = audit.status === 0 || !isOffered;
  process.stdout.write(passed ? '1 passed, 0 failed\n' : '0 passed, 1 failed\n');
  return passed ? 0 : 1;
});
