// npm run test:compose - builds the image, brings the whole system up from
// docker-compose.yml with several replicas of every service, and tries what an
// operator does with it: the first start, stopping an event node, a restart, a
// dump and its restoration, an upgrade from an older image under load, another
// key secret, and the way back. Takes everything down again.
//
// Plain JavaScript that runs on the Node a machine happens to have (20 or
// newer): the system under test brings its own. The last line says
// `N passed, N failed`; the exit code is 0 only if nothing failed.

import { createChecks } from '../tests/compose/checks.mjs';
import { docker } from '../tests/compose/engine.mjs';
import { testUpgrade } from '../tests/compose/upgrade.mjs';
import { testSystem } from '../tests/compose/whole-system.mjs';

const checks = createChecks();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => checks.interrupt());
}

async function checkEngine() {
  try {
    await docker(['info']);
    await docker(['compose', 'version']);
  } catch (error) {
    throw new Error(
      "Docker's engine and its compose plugin are needed; on Debian scripts/install-docker.sh starts an engine",
      { cause: error },
    );
  }
}

/** Runs scenarios one after the other; a failure ends only its own scenario. */
async function runScenarios(scenarios) {
  for (const scenario of scenarios) {
    try {
      await scenario();
    } catch {
      // Counted and printed where it happened.
    }
  }
}

const runId = `parley-test-${process.pid}`;
await runScenarios([
  async () => {
    await checks.check('a Docker engine answers', checkEngine);
    await runScenarios([() => testSystem(checks, runId), () => testUpgrade(checks, runId)]);
  },
]);
const { passed, failed } = checks.counts;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
