/**
 * Every command of this repository runs this first. It is plain JavaScript for Node 20 and npm,
 * without dependencies. It fetches an exact version of pnpm, installs the locked dependencies if
 * they changed, and continues with the Node that the `node` npm package pins.
 *
 * It prints to standard error only, so that standard output belongs to the command.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const pnpmVersion = '12.21.0';
const toolsFolder = join(root, '.parley', 'tools');
const pnpmFolder = join(toolsFolder, `pnpm-${pnpmVersion}`);
/** The pinned pnpm, which exists after `prepare`. */
export const pnpmEntry = join(pnpmFolder, 'node_modules', '.bin', 'pnpm');
const installedMark = join(root, 'node_modules', '.parley-installed');

const parentCheckIntervalMs = 500;

/** The Node that everything after the bootstrap runs on. */
export const pinnedNode = join(root, 'node_modules', 'node', 'bin', 'node');

/** The environment in which tools and services find the pinned Node first, and their code compiled. */
export const pinnedEnvironment = {
  NODE_COMPILE_CACHE: join(root, '.parley', 'tools', 'compile-cache'),
  ...process.env,
  PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? '/usr/bin:/bin'}`,
};

/** An error that the user can resolve, shown without a stack. */
export class SetupFault extends Error {}

/** Shows one line of progress on standard error. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Watches the npm that started this process: it starts commands through a shell, and may end without passing its signal on.
 *
 * @param {() => void} callback called once
 * @returns {() => void} ends the watch
 */
export function whenNpmIsGone(callback) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    callback();
  }, parentCheckIntervalMs).unref();
  return () => clearInterval(watch);
}

/**
 * Runs one command to its end and passes on the signals that ask it to stop.
 *
 * @param {string} command the program
 * @param {string[]} args its arguments
 * @param {import('node:child_process').SpawnOptions} options for `spawn`
 * @returns {Promise<number>} the exit code; 128 plus the number of the signal that ended it
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    const stopWatching = whenNpmIsGone(() => child.kill('SIGTERM'));
    const finish = (settle) => {
      stopWatching();
      for (const signal of signals) process.off(signal, forward);
      settle();
    };
    child.once('error', (error) =>
      finish(() => reject(new SetupFault(`${command}: ${error.message}`))),
    );
    child.once('close', (code, signal) =>
      finish(() => resolve(code ?? 128 + constants.signals[signal])),
    );
  });
}

/** Ends the bootstrap if the user stopped one of its commands. */
function stopIfInterrupted(code) {
  if (code === 130 || code === 143 || code === 129) process.exit(code);
}

/** Everything an installation depends on: the lock file, the settings, each manifest, this Node. */
function findInstallKey() {
  const hash = createHash('sha256');
  const addFile = (path) => hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  for (const path of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) addFile(path);
  const folders = ['packages', 'services'].flatMap((group) =>
    existsSync(join(root, group))
      ? readdirSync(join(root, group)).map((name) => `${group}/${name}`)
      : [],
  );
  for (const folder of [...folders, 'tests'].toSorted((a, b) => (a < b ? -1 : 1))) {
    if (existsSync(join(root, folder, 'package.json'))) addFile(`${folder}/package.json`);
  }
  return hash.update([pnpmVersion, process.platform, process.arch].join()).digest('hex');
}

async function fetchPnpm() {
  if (existsSync(join(pnpmFolder, 'complete'))) return;
  say(`Fetching pnpm ${pnpmVersion} ...`);
  rmSync(pnpmFolder, { recursive: true, force: true });
  mkdirSync(pnpmFolder, { recursive: true });
  // With a separate manifest npm does not use the repository's.
  writeFileSync(join(pnpmFolder, 'package.json'), '{ "private": true }\n');
  const code = await run(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    [
      'install',
      `--prefix=${pnpmFolder}`,
      '--save-exact',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      // pnpm installs its program for this machine with a script.
      '--ignore-scripts=false',
      '--loglevel=error',
      `pnpm@${pnpmVersion}`,
    ],
    { cwd: pnpmFolder },
  ).catch((/** @type {unknown} */ error) => {
    throw new SetupFault(`npm could not be started (${String(error)}). Install npm beside Node.`);
  });
  stopIfInterrupted(code);
  if (code !== 0 || !existsSync(pnpmEntry)) {
    throw new SetupFault(
      [
        `pnpm ${pnpmVersion} could not be fetched: npm ended with code ${code} (its words are above).`,
        'The npm registry must be reachable for the first start. Behind a proxy, or with a registry',
        'of your own, set it in npm (`npm config set registry URL`) and run the command again.',
      ].join('\n'),
    );
  }
  writeFileSync(join(pnpmFolder, 'complete'), '');
}

/** Whether the pinned Node runs; its package fetches the program with an install script. */
async function checkPinnedNode() {
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;
  const code = await run(pinnedNode, [
    '-e',
    `process.exit(process.versions.node === ${JSON.stringify(version)} ? 0 : 9)`,
  ]).catch(() => -1);
  stopIfInterrupted(code);
  if (code === 0) return;
  rmSync(installedMark, { force: true });
  throw new SetupFault(
    [
      `Node ${version} was not installed at ${pinnedNode}, or does not run there.`,
      'Remove the folder node_modules and run the command again.',
    ].join('\n'),
  );
}

/**
 * Makes the repository ready to run: pnpm, the locked dependencies, the pinned Node. Quick when
 * nothing changed since the last time.
 *
 * @throws {SetupFault} when something is missing that this script cannot get by itself
 */
export async function prepare() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new SetupFault(`Node 20 or newer is needed; this is ${process.versions.node}.`);
  }
  const key = findInstallKey();
  const installed = existsSync(installedMark) ? readFileSync(installedMark, 'utf8') : '';
  if (installed === key && existsSync(pinnedNode)) return;
  await fetchPnpm();
  say('Installing the dependencies ...');
  const code = await run(
    pnpmEntry,
    [
      'install',
      '--frozen-lockfile',
      '--config.confirmModulesPurge=false',
      `--reporter=${process.stderr.isTTY ? 'default' : 'append-only'}`,
    ],
    // npm passes its settings on as variables, and pnpm warns about those it does not know.
    {
      env: Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^npm_config_loglevel$/i.test(name)),
      ),
    },
  );
  stopIfInterrupted(code);
  if (code !== 0) {
    throw new SetupFault(
      [
        `The dependencies could not be installed: pnpm ended with code ${code} (its words are above).`,
        'The npm registry must be reachable, and the folder must be writable for this user. A lock',
        'file that does not fit the manifests is brought up to date with `pnpm install`.',
      ].join('\n'),
    );
  }
  await checkPinnedNode();
  writeFileSync(installedMark, key);
}

/**
 * Runs a TypeScript or JavaScript file with the pinned Node, on this process's own standard
 * streams. The child has a channel to this process, so that it notices when this process is gone.
 *
 * @param {string} file path of the entry, relative to the repository
 * @param {string[]} args its arguments
 * @returns {Promise<number>} the exit code
 */
export function runWithPinnedNode(file, args) {
  return run(pinnedNode, [join(root, file), ...args], {
    cwd: process.cwd(),
    env: pinnedEnvironment,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

/** Runs the body of a command, shows a setup fault without its stack, and sets the exit code. */
export async function runCommand(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (!(error instanceof SetupFault)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
