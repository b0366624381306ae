// `node run-suites.mjs SUITE ...` - suites of the system in containers, as the slow tests call them, with one image that is built first:
//
// - `tests/compose/whole-system.mjs` brings the whole system up from docker-compose.yml with several replicas of every
//   service, and tries what an operator does with it: the first start, stopping an event node, a restart, a dump and its restoration
// - `tests/compose/imports.mjs`: the way from nothing to an import that docs/import describes, with Compose and for Kubernetes
// - `tests/compose/upgrade.mjs`: an upgrade from an older image under load, another key secret, and the way back
//
// It takes everything down again. After each suite a line says `SUITE: N passed, N failed`.

import { beginTestRun, findTestRun, isLeftByTestRun } from '@parley/launcher/local-stores';

import { createChecks } from './checks.mjs';
import { docker } from './engine.mjs';
import { testImports } from './imports.mjs';
import { nameFor, removeMade } from './leftovers.mjs';
import { buildImage } from './system.mjs';
import { testUpgrade } from './upgrade.mjs';
import { testSystem } from './whole-system.mjs';

const suites = new Map([
  ['tests/compose/whole-system.mjs', testSystem],
  ['tests/compose/imports.mjs', testImports],
  ['tests/compose/upgrade.mjs', testUpgrade],
]);

/** @returns a function whose first call begins the work, and whose every call has its outcome */
function lazily(work) {
  let outcome;
  return () => (outcome ??= work());
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

const names = process.argv.slice(2);
if (names.length === 0 || !names.every((name) => suites.has(name)))
  throw new Error(`Suites: ${[...suites.keys()].join(', ')}`);
beginTestRun();
const run = findTestRun();
removeMade(isLeftByTestRun);
process.once('exit', () => removeMade((name) => name === run || name.startsWith(`${run}-`)));
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

const runId = nameFor(run);
const image = `${runId}:latest`;
const buildOnce = lazily(async () => {
  await checkEngine();
  await buildImage(image, '.');
});

for (const name of names) {
  const { check, counts } = createChecks();
  try {
    await check('a Docker engine answers, and the image builds', buildOnce);
    await suites.get(name)(check, { runId, image });
  } catch {
    // Counted and printed where it happened.
  }
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed`);
  if (counts.failed > 0) process.exitCode = 1;
}
