/** Builds the web client, the only part of the repository that does not run from its sources. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { SetupFault, pinnedEnvironment, pinnedNode, root, run, say } from './bootstrap.mjs';

const client = join('packages', 'web');
const builtFolder = join(root, client, 'dist');
const builtMark = join(root, '.parley', 'tools', 'web-client-built');

/** All files below a folder or at a path, relative to the repository, in an order that does not depend on the machine. */
function listFiles(path) {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return [];
  const entries = readdirSync(absolute, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

/** Everything that the built client depends on: its sources, those of the packages that it bundles, and the locked dependencies. */
function findBuildKey() {
  const manifest = JSON.parse(readFileSync(join(root, client, 'package.json'), 'utf8'));
  const bundled = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([, version]) => version.startsWith('workspace:'))
    .map(([name]) => join('packages', name.replace('@parley/', ''), 'src'));
  const ownFiles = readdirSync(join(root, client), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((a, b) => (a < b ? -1 : 1));
  const folders = ['src', 'public', 'build'].map((name) => join(client, name));
  const files = [
    join(root, 'pnpm-lock.yaml'),
    ...ownFiles,
    ...[...folders, ...bundled].flatMap((folder) => listFiles(folder)),
  ];
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function isBuilt(key) {
  const built = existsSync(builtMark) ? readFileSync(builtMark, 'utf8') : '';
  return built === key && existsSync(join(builtFolder, 'index.html'));
}

/**
 * Builds the web client into `packages/web/dist`. Does nothing when its sources did not change since the last time.
 *
 * @throws {SetupFault} when the build fails; what was built before stays
 */
export async function buildWebClient() {
  const key = findBuildKey();
  if (isBuilt(key)) return;
  say('Building the web client ...');
  const fresh = join(root, '.parley', 'tools', `web-client-${process.pid}`);
  const code = await run(
    pinnedNode,
    [
      join(root, client, 'node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      '--emptyOutDir',
      `--outDir=${fresh}`,
      '--logLevel=warn',
    ],
    // Tests have another value, by which libraries bring what helps their developers.
    { cwd: join(root, client), env: { ...pinnedEnvironment, NODE_ENV: 'production' } },
  );
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new SetupFault(
      `The web client could not be built: Vite ended with code ${code} (its words are above).`,
    );
  }
  // Another process may have built the same meanwhile, and a server may be reading that.
  if (isBuilt(key)) {
    rmSync(fresh, { recursive: true, force: true });
    return;
  }
  // Complete at every moment, for a server that is being started.
  rmSync(builtFolder, { recursive: true, force: true });
  try {
    renameSync(fresh, builtFolder);
  } catch (error) {
    // Another process has put the same there in this moment.
    if (error.code !== 'ENOTEMPTY') throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  writeFileSync(builtMark, key);
}
