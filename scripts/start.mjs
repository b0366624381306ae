/** `npm start`: installs what is missing and runs the launcher with the pinned Node. */
import { prepare, runCommand, runWithPinnedNode } from './bootstrap.mjs';

await runCommand(async () => {
  await prepare();
  return runWithPinnedNode('packages/launcher/src/main.ts', process.argv.slice(2));
});
