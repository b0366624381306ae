/** `npm run build`: installs what is missing and builds the web client and the server, if their sources changed since the last time. */
import { prepare, runCommand } from './bootstrap.mjs';
import { buildAll } from './builds.mjs';

await runCommand(async () => {
  await prepare();
  await buildAll();
  return 0;
});
