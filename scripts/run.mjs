/** `node scripts/run.mjs FILE ARGUMENTS`: runs any TypeScript entry with the pinned Node. */
import { SetupFault, prepare, runCommand, runWithPinnedNode } from './bootstrap.mjs';

await runCommand(async () => {
  const [file, ...args] = process.argv.slice(2);
  if (file === undefined) throw new SetupFault('Usage: node scripts/run.mjs FILE [ARGUMENTS]');
  await prepare();
  return runWithPinnedNode(file, args);
});
