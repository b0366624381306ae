import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import { hasCode } from './secret-file.ts';
import { StoreFault } from './store-fault.ts';

const programNames = ['redis-server', 'valkey-server'];
/** BullMQ, which runs the side effects, needs the commands of this version. */
const oldestVersion: readonly [number, number] = [6, 2];
const policyFile = '/usr/sbin/policy-rc.d';

type PackageManager = { program: string; commands: readonly (readonly string[])[]; words: string };

/** Package managers with their commands; those for a whole machine need root. */
const packageManagers: readonly PackageManager[] = [
  {
    program: 'apt-get',
    commands: [
      ['apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120', 'update'],
      [
        'apt-get',
        '-qq',
        '-y',
        '-o',
        'DPkg::Lock::Timeout=120',
        '--no-install-recommends',
        'install',
        'redis-server',
      ],
    ],
    words: 'apt-get update && apt-get install -y redis-server',
  },
  {
    program: 'apk',
    commands: [['apk', 'add', '--quiet', 'redis']],
    words: 'apk add redis',
  },
  {
    program: 'dnf',
    commands: [['dnf', 'install', '-y', '-q', 'redis']],
    words: 'dnf install -y redis',
  },
  {
    program: 'brew',
    commands: [['brew', 'install', '--quiet', 'redis']],
    words: 'brew install redis',
  },
];

function isOnPath(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/**
 * Finds a Redis server on the machine.
 *
 * @returns the name to run it by; undefined if there is none
 * @throws StoreFault if the only one is too old
 */
function findRedisProgram(): string | undefined {
  for (const program of programNames) {
    const result = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (result.status !== 0) continue;
    const version = /v=(\d+)\.(\d+)/.exec(result.stdout);
    const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
    if (major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1])) {
      throw new StoreFault(
        `${program} is version ${major}.${minor}; ${oldestVersion.join('.')} or newer is needed. Update it, or set REDIS_URL.`,
      );
    }
    return program;
  }
  return undefined;
}

function runInstaller(command: readonly string[], log: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    // `env` sets the variable for this command and keeps the rest of the environment.
    const child = spawn('env', ['DEBIAN_FRONTEND=noninteractive', ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', log);
    }
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Keeps Debian's package from starting its own service while the body runs, with the file that its scripts check. */
async function withoutStartingServices<Result>(body: () => Promise<Result>): Promise<Result> {
  let isOurs = false;
  try {
    await writeFile(policyFile, '#!/bin/sh\nexit 101\n', { flag: 'wx' });
    isOurs = true;
    await chmod(policyFile, 0o755);
  } catch (error) {
    // An existing policy belongs to the machine and stays. A user other than root cannot write one and gets the package's service.
    const known = ['EEXIST', 'EACCES', 'ENOENT', 'EPERM', 'EROFS'];
    if (!known.some((code) => hasCode(error, code))) throw error;
  }
  try {
    return await body();
  } finally {
    if (isOurs) await rm(policyFile, { force: true });
  }
}

/** Finds the prefix that makes a command run as root, if there is one. */
function findRootPrefix(program: string): readonly string[] | undefined {
  if (program === 'brew') return process.getuid?.() === 0 ? undefined : [];
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
    ? ['sudo', '-n']
    : undefined;
}

/**
 * Finds a Redis server, or installs one with the machine's package manager, without leaving a service of the system running.
 *
 * @param log receives the steps, and the package manager's output
 * @returns the name to run it by
 * @throws StoreFault with exact instructions if it can be neither found nor installed
 */
export async function findOrInstallRedis(log: (line: string) => void): Promise<string> {
  const found = findRedisProgram();
  if (found !== undefined) return found;
  const manager = packageManagers.find(({ program }) => isOnPath(program));
  if (manager === undefined) {
    throw new StoreFault(
      [
        'There is no redis-server on this machine, and no package manager that Parley knows.',
        `Install Redis ${oldestVersion.join('.')} or newer so that \`redis-server\` is on the PATH, or set`,
        'REDIS_URL=redis://HOST:PORT to one that runs elsewhere. Then run the command again.',
      ].join('\n'),
    );
  }
  const prefix = findRootPrefix(manager.program);
  const advice = [
    `Run \`${manager.words}\`${manager.program === 'brew' ? '' : ' as root'}, or set REDIS_URL=redis://HOST:PORT to one that`,
    'runs elsewhere. Then run the command again.',
  ].join('\n');
  if (prefix === undefined) {
    throw new StoreFault(`There is no redis-server on this machine.\n${advice}`);
  }
  log(`Installing Redis (${manager.words}) ...`);
  const lastLines: string[] = [];
  const hadSystemd = existsSync('/run/systemd/system');
  await withoutStartingServices(async () => {
    for (const command of manager.commands) {
      const code = await runInstaller([...prefix, ...command], (line) => {
        lastLines.push(line);
        if (lastLines.length > 15) lastLines.shift();
      });
      // A partly updated list of packages may still be enough.
      if (code !== 0 && command.includes('install')) break;
    }
  });
  if (hadSystemd) {
    await runInstaller(
      [...prefix, 'systemctl', 'disable', '--now', 'redis-server'],
      () => undefined,
    );
  }
  const installed = findRedisProgram();
  if (installed === undefined) {
    throw new StoreFault(`Redis could not be installed:\n  ${lastLines.join('\n  ')}\n${advice}`);
  }
  return installed;
}
