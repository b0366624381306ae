/** `npm run build`: installs what is missing and builds the web client, if its sources changed since the last time. */
import { prepare, runCommand } from './bootstrap.mjs';
import { buildWebClient } from './web-client.mjs';

await runCommand(async () => {
  await prepare();
  await buildWebClient();
  return 0;
});
