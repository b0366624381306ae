// The Docker command line, as the test of the containers uses it.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

// The longest step is a build that downloads every package over a slow line.
const commandTimeoutMs = 15 * 60_000;

/**
 * Runs a program in the repository's root.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, show?: boolean }} [options] `show` passes what it prints on to standard error
 * @returns {Promise<string>} its standard output
 * @throws {Error} with the end of what it printed, if it fails, is missing or takes longer than fifteen minutes
 */
export function run(program, args, { env = process.env, cwd = repositoryRoot, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: commandTimeoutMs,
    });
    let output = '';
    let diagnostics = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (show) process.stderr.write(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      diagnostics += text;
      if (show) process.stderr.write(text);
    });
    child.on('error', reject);
    child.on('close', (code, endedBy) => {
      if (code === 0) {
        resolve(output);
        return;
      }
      const end = `${output}${diagnostics}`.trim().split('\n').slice(-15).join('\n');
      reject(
        new Error(
          `${program} ${args.slice(0, 6).join(' ')} ended with ${endedBy ?? code}:\n${end}`,
        ),
      );
    });
  });
}

/** Runs `docker` with the given arguments in the repository's root. */
export const docker = (args, options) => run('docker', args, options);

/**
 * A separate compose project, made from the compose file of a folder with settings that this process's environment cannot change.
 *
 * @param {string} project the project's name
 * @param {Record<string, string>} settings variables of the compose file
 * @param {string} [folder] by default the repository's root
 */
export function composeProject(project, settings, folder = repositoryRoot) {
  // The user's settings (above all DATABASE_URL) must not reach the test.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(PARLEY_|COMPOSE_|POSTGRES_|DATABASE_URL|REDIS_)/.test(name),
    ),
  );
  const prefix = ['compose', '--project-name', project, '--env-file', '/dev/null'];
  const ownEnv = { ...env, ...settings };
  // The same for commands that a user types.
  const typedEnv = {
    ...ownEnv,
    COMPOSE_PROJECT_NAME: project,
    COMPOSE_FILE: join(folder, 'docker-compose.yml'),
    COMPOSE_ENV_FILES: '/dev/null',
  };

  return {
    /** Runs a compose command and returns its standard output. */
    run: (args, options = {}) =>
      docker([...prefix, ...args], { cwd: folder, ...options, env: ownEnv }),

    /** Runs a shell command of the documentation with this project as `docker compose`. */
    shell: (command, options = {}) =>
      run('bash', ['-euo', 'pipefail', '-c', command], { ...options, env: typedEnv }),

    /**
     * All containers of the project, including ended ones, as described by `docker inspect`.
     */
    async inspectContainers() {
      const label = `label=com.docker.compose.project=${project}`;
      const ids = (await docker(['ps', '--all', '--quiet', '--filter', label]))
        .split('\n')
        .filter(Boolean);
      if (ids.length === 0) return [];
      return JSON.parse(await docker(['inspect', ...ids])).map((container) => ({
        ...container,
        service: container.Config.Labels['com.docker.compose.service'],
        index: Number(container.Config.Labels['com.docker.compose.container-number']),
      }));
    },

    /** Names of the project's volumes that exist. */
    async listVolumes() {
      const label = `label=com.docker.compose.project=${project}`;
      const output = await docker(['volume', 'ls', '--quiet', '--filter', label]);
      return output.split('\n').filter(Boolean);
    },
  };
}
