// `node run-suite.mjs SUITE` - one suite of the system in containers, as the slow tests call it:
//
// - `tests/compose/whole-system.mjs` builds the image, brings the whole system up from docker-compose.yml with several replicas of every
//   service, and tries what an operator does with it: the first start, stopping an event node, a restart, a dump and its restoration
// - `tests/compose/imports.mjs`: the way from nothing to an import that docs/import describes, with Compose and for Kubernetes
// - `tests/compose/upgrade.mjs`: an upgrade from an older image under load, another key secret, and the way back
//
// It takes everything down again. The last line says `N passed, N failed`.

import { beginTestRun, findTestRun, isLeftByTestRun } from '@parley/local-stores';

import { createChecks } from './checks.mjs';
import { docker } from './engine.mjs';
import { testImports } from './imports.mjs';
import { nameFor, removeMade } from './leftovers.mjs';
import { testUpgrade } from './upgrade.mjs';
import { testSystem } from './whole-system.mjs';

const suites = new Map([
  ['tests/compose/whole-system.mjs', testSystem],
  ['tests/compose/imports.mjs', testImports],
  ['tests/compose/upgrade.mjs', testUpgrade],
]);

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

const testSuite = suites.get(process.argv[2]);
if (testSuite === undefined) throw new Error(`Suites: ${[...suites.keys()].join(', ')}`);
beginTestRun();
const run = findTestRun();
removeMade(isLeftByTestRun);
process.once('exit', () => removeMade((name) => name === run || name.startsWith(`${run}-`)));
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

const { check, counts } = createChecks();
try {
  await check('a Docker engine answers', checkEngine);
  await testSuite(check, nameFor(run));
} catch {
  // Counted and printed where it happened.
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
