/** `npm start`: installs what is missing, builds the web client if its sources changed, and runs the launcher with the pinned Node. */
import { prepare, runCommand, runWithPinnedNode } from './bootstrap.mjs';
import { buildWebClient } from './web-client.mjs';

await runCommand(async () => {
  await prepare();
  await buildWebClient();
  return runWithPinnedNode('packages/launcher/src/main.ts', process.argv.slice(2));
});
