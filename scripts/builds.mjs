/** Builds what does not run from its sources: the web client, and the files from which the services and the operator's command start. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { SetupFault, pinnedEnvironment, pinnedNode, root, run, say } from './bootstrap.mjs';

const tools = join(root, '.parley', 'tools');
const client = join('packages', 'web');
const clientFolder = join(root, client, 'dist');
const clientMark = join(tools, 'web-client-built');
const command = join('packages', 'command');
const serverFolder = join(root, 'dist');
const serverMark = join(tools, 'server-build.json');

/** From when a file was replaced: a process that runs may still load a part of what it was started from. */
const replacedFilesKeptMs = 24 * 60 * 60 * 1000;

const inOrder = (a, b) => (a < b ? -1 : 1);

/** All files below a folder, relative to the repository, in an order that does not depend on the machine. */
function listFiles(path) {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return [];
  const entries = readdirSync(absolute, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted(inOrder);
}

/** The files right in a folder. */
function listOwnFiles(path) {
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted(inOrder);
}

/** Names the contents of files, and of the locked dependencies. */
function findKey(files) {
  const hash = createHash('sha256');
  for (const file of [join(root, 'pnpm-lock.yaml'), ...files])
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Everything that the built client depends on: its sources, and those of the packages that it bundles. */
function findClientKey() {
  const manifest = JSON.parse(readFileSync(join(root, client, 'package.json'), 'utf8'));
  const bundled = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([, version]) => version.startsWith('workspace:'))
    .map(([name]) => join('packages', name.replace('@parley/', ''), 'src'));
  const folders = ['src', 'public', 'build'].map((name) => join(client, name));
  return findKey([
    ...listOwnFiles(client),
    ...[...folders, ...bundled].flatMap((folder) => listFiles(folder)),
  ]);
}

/** Everything that the built server depends on: the code of all packages and services. */
function findServerKey() {
  const packages = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  const sources = packages
    .filter((path) => path !== client)
    .flatMap((path) => listFiles(join(path, 'src')))
    .filter((path) => /(?<!\.test)\.(?:ts|json)$/.test(path));
  return findKey([...listFiles(join(command, 'build')), ...sources]);
}

function isMarked(mark, key) {
  return existsSync(mark) && readFileSync(mark, 'utf8') === key;
}

/**
 * Runs a build into an empty folder.
 *
 * @param {{ what: string, folder: string, words: (outDir: string) => string[] }} build the package that builds, and the program there with its arguments
 * @returns {Promise<string>} the folder with what was built
 * @throws {SetupFault} when the build fails
 */
async function build({ what, folder, words }) {
  say(`Building ${what} ...`);
  const fresh = join(tools, `built-${process.pid}`);
  const code = await run(pinnedNode, words(fresh), {
    cwd: join(root, folder),
    // Tests have another value, by which libraries bring what helps their developers.
    env: { ...pinnedEnvironment, NODE_ENV: 'production' },
  });
  if (code === 0) return fresh;
  rmSync(fresh, { recursive: true, force: true });
  throw new SetupFault(`${what} could not be built: it ended with code ${code} (see above).`);
}

/**
 * Builds the web client into `packages/web/dist`. Does nothing when its sources did not change since the last time.
 *
 * @throws {SetupFault} when the build fails; what was built before stays
 */
async function buildWebClient() {
  const key = findClientKey();
  const isBuilt = () => isMarked(clientMark, key) && existsSync(join(clientFolder, 'index.html'));
  if (isBuilt()) return;
  const fresh = await build({
    what: 'the web client',
    folder: client,
    words: (outDir) => [
      join('node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      '--emptyOutDir',
      `--outDir=${outDir}`,
      '--logLevel=warn',
    ],
  });
  // Another process may have built the same meanwhile, and a server may be reading that.
  if (isBuilt()) {
    rmSync(fresh, { recursive: true, force: true });
    return;
  }
  // Complete at every moment, for a server that is being started.
  rmSync(clientFolder, { recursive: true, force: true });
  try {
    renameSync(fresh, clientFolder);
  } catch (error) {
    // Another process has put the same there in this moment.
    if (error.code !== 'ENOTEMPTY') throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  writeFileSync(clientMark, key);
}

/** What was built last. */
function readServerMark() {
  return existsSync(serverMark)
    ? JSON.parse(readFileSync(serverMark, 'utf8'))
    : { key: '', names: [] };
}

/** Notes in the times of files when they were replaced, and removes those that were long ago. */
function removeReplaced(namesBefore, names) {
  const now = new Date();
  for (const name of readdirSync(serverFolder)) {
    const path = join(serverFolder, name);
    // Another process may remove the same.
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined || names.includes(name)) continue;
    if (namesBefore.includes(name)) utimesSync(path, now, now);
    else if (now - file.mtime > replacedFilesKeptMs) rmSync(path, { force: true });
  }
}

/**
 * Builds what the services and the command start from into `dist`. Does nothing when no code changed since the last time.
 *
 * @throws {SetupFault} when the build fails; what was built before stays
 */
async function buildServer() {
  const key = findServerKey();
  const before = readServerMark();
  if (before.key === key && existsSync(join(serverFolder, 'parley.js'))) return;
  const fresh = await build({
    what: 'the services',
    folder: command,
    words: (outDir) => [join('build', 'build-server.ts'), outDir],
  });
  mkdirSync(serverFolder, { recursive: true });
  const names = readdirSync(fresh);
  // The entries come last; the names of all other files say what is in them.
  const isEntry = (name) => !/-[\w-]{8}\.js$/.test(name);
  for (const name of [...names.filter((each) => !isEntry(each)), ...names.filter(isEntry)])
    renameSync(join(fresh, name), join(serverFolder, name));
  rmSync(fresh, { recursive: true, force: true });
  removeReplaced(before.names, names);
  writeFileSync(serverMark, JSON.stringify({ key, names }));
}

/**
 * Builds all that changed.
 *
 * @throws {SetupFault} when a build fails
 */
export async function buildAll() {
  await buildWebClient();
  await buildServer();
}
