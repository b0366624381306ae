/** `npm start`: installs what is missing, builds what changed, and runs the launcher with the pinned Node. */
import { prepare, runCommand, runWithPinnedNode } from './bootstrap.mjs';
import { buildAll } from './builds.mjs';

await runCommand(async () => {
  await prepare();
  await buildAll();
  return runWithPinnedNode('dist/launcher.js', process.argv.slice(2));
});
